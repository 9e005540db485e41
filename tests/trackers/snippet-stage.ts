/** What the snippet is tried on: a site, an assistant and a collector, each an origin of its own on one local server. */
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, Page } from 'playwright-core'
import { snippetFile } from './minify-snippet.ts'

export interface Message {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly site: string
  readonly id: string
  readonly kind: 'landing' | 'conversion'
  readonly url: string
  readonly referrer?: string
  readonly name?: string
  readonly value?: number | null
  readonly touches?: readonly { readonly referrer: string; readonly url: string }[]
}

/** A Pugmark that takes the place of the stage's own collector. */
export interface StagePugmark {
  /** Its address as a page sees it: `http://stats.test:PORT`. */
  readonly url: string
  /** Public key of the site. */
  readonly key: string
}

type CollectorState = 'up' | 'failing' | 'away' | 'slow'

export class SnippetStage {
  /** Everything that came in, accepted or not. */
  readonly received: Message[] = []
  collector: CollectorState = 'up'
  #port = 0
  #snippet = ''
  readonly #server = createServer((request, response) => this.#serve(request, response))
  readonly #pugmark: StagePugmark | null

  constructor(pugmark: StagePugmark | null = null) {
    this.#pugmark = pugmark
  }

  async open(): Promise<this> {
    this.#snippet = await readFile(snippetFile, 'utf8')
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    this.#port = (this.#server.address() as AddressInfo).port
    return this
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  site = (path: string): string => `http://site.test:${this.#port}${path}`
  assistant = (path = '/'): string => `http://assistant.test:${this.#port}${path}`
  collectorAt = (path: string): string => `${this.#pugmark?.url ?? `http://stats.test:${this.#port}`}${path}`
  /** A page of another name, with a link to the site. */
  elsewhere = (host: string): string => `http://${host}:${this.#port}/`

  /** A page of the site, reached by a click on a link of the assistant. */
  async clickFromAssistant(context: BrowserContext, path: string): Promise<Page> {
    const page = await context.newPage()
    await this.clickFrom(page, this.assistant(), path)
    return page
  }

  async clickFrom(page: Page, from: string, path: string): Promise<void> {
    const link = new URL(from)
    link.searchParams.set('to', this.site(path))
    await page.goto(link.href)
    await page.click('a')
    await page.waitForURL(this.site(path))
    await page.waitForFunction('document.readyState === "complete"')
  }

  /** The messages about pages of a path, each id once, when there are `count` of them and no more come. */
  async messages(count: number): Promise<Message[]> {
    const distinct = () => [...new Map(this.received.map(message => [message.id, message])).values()]
    const deadlineMs = Date.now() + 10_000
    while (distinct().length < count && Date.now() < deadlineMs) await sleep(10)
    await sleep(150)
    const messages = distinct()
    if (messages.length !== count) {
      throw new Error(`${messages.length} messages instead of ${count}: ${JSON.stringify(messages)}`)
    }
    return messages
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
    if (url.pathname.endsWith('/collect')) this.#collect(request, response, url.pathname)
    else if (url.pathname.endsWith('/pugmark.js')) {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(this.#snippet)
    } else if (url.hostname !== 'site.test') {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<a href="${url.searchParams.get('to')}">go</a>`)
    } else if (url.pathname === '/app.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(applicationScript)
    } else this.#page(response, url)
  }

  #page(response: ServerResponse, url: URL): void {
    const sandbox = url.pathname === '/sandboxed' ? '; sandbox allow-scripts' : ''
    response.writeHead(200, {
      'content-type': 'text/html',
      'content-security-policy': `default-src 'none'; script-src 'self' ${this.collectorAt('')}; connect-src ${this.collectorAt('')}${sandbox}`,
    })
    const base = url.pathname === '/in-subfolder' ? '/tools/pugmark' : ''
    const tag = `<script defer src="${this.collectorAt(`${base}/pugmark.js`)}" data-site="${this.#pugmark?.key ?? 'ak_test'}"></script>`
    response.end(`<!doctype html><title>page</title>
      <script src="/app.js"></script>${tag}${url.pathname === '/twice' ? tag : ''}
      <button data-pugmark-event="demo" data-pugmark-value="12.5"><b>Ask for a demo</b></button>
      <a id="leave" href="${this.assistant()}" data-pugmark-event="left">leave</a>
      <form data-pugmark-event="newsletter"><input name="email"><input type="submit"></form>
      <a id="next" href="/next">next</a>`)
  }

  #collect(request: IncomingMessage, response: ServerResponse, path: string): void {
    const chunks: Buffer[] = []
    request.on('error', () => {})
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const message = JSON.parse(Buffer.concat(chunks).toString())
      this.received.push({ path, headers: request.headers, ...message })
      if (this.collector === 'away') request.socket.destroy()
      if (this.collector !== 'up' && this.collector !== 'failing') return
      response.writeHead(this.collector === 'up' ? 204 : 503, { 'access-control-allow-origin': '*' }).end()
    })
  }
}

/** What a page's own script does: the queue for early calls, and a form and a click handler that go no further. */
const applicationScript = `
  window.pugmark = window.pugmark || function () { (pugmark.q = pugmark.q || []).push(arguments) }
  if (location.pathname === '/early') { pugmark('early'); pugmark('early-purchase', { value: 5 }) }
  addEventListener('pageshow', event => { window.restored = event.persisted })
  addEventListener('DOMContentLoaded', () => {
    document.forms[0].addEventListener('submit', event => { event.preventDefault(); event.stopPropagation() })
    document.querySelector('button').addEventListener('click', event => event.stopPropagation())
  })
`
