/** A collector that the tests command: it takes hits as Pugmark does, and can be slow, broken, gone and back at its address. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface WireHit {
  readonly method: string
  readonly url: string
  readonly status?: number
  readonly bytes?: number
  readonly duration_ms?: number
  readonly user_agent: string
  readonly referrer?: string
  readonly ip?: string
  readonly country?: string
  readonly timestamp: string
}

export interface Delivery {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly hits: readonly WireHit[]
}

/** Answers a delivery, or leaves it hanging. Returns whether it was accepted. */
export type Behaviour = (delivery: Delivery, response: ServerResponse) => boolean

export const accept: Behaviour = (delivery, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ received: delivery.hits.length, recorded: {}, ignored: {} }))
  return true
}

export const answer =
  (status: number, body = '{}', headers: Record<string, string> = {}): Behaviour =>
  (_delivery, response) => {
    response.writeHead(status, headers).end(body)
    return false
  }

export const hang: Behaviour = () => false

export class Collector {
  /** Everything that came in, accepted or not. */
  readonly deliveries: Delivery[] = []
  behaviour: Behaviour = accept
  readonly #accepted = new Map<string, readonly WireHit[]>()
  #server: Server | undefined
  #port = 0

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Every hit that was accepted, once for each idempotency key. */
  get hits(): WireHit[] {
    return [...this.#accepted.values()].flat()
  }

  /** Listens, on the same port as before if there was one. */
  async start(): Promise<this> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', chunk => chunks.push(chunk))
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString()
        const delivery = {
          path: request.url ?? '',
          headers: request.headers,
          body,
          hits: JSON.parse(body) as WireHit[],
        }
        this.deliveries.push(delivery)
        const key = String(request.headers['idempotency-key'])
        if (this.behaviour(delivery, response)) this.#accepted.set(key, delivery.hits)
      })
    })
    await new Promise<void>(resolve => server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
    return this
  }

  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }

  /** Waits until the accepted hits are as wished, and returns them. */
  async until(wish: (hits: readonly WireHit[]) => boolean, withinMs = 15_000): Promise<WireHit[]> {
    const deadlineMs = Date.now() + withinMs
    while (!wish(this.hits)) {
      if (Date.now() > deadlineMs) {
        throw new Error(
          `not within ${withinMs} ms; accepted so far: ${JSON.stringify(this.hits.slice(0, 20))}`,
        )
      }
      await sleep(5)
    }
    return this.hits
  }

  /** The one hit for a path; waits for it. */
  async hitFor(path: string): Promise<WireHit> {
    const matches = (hit: WireHit) => hit.url.split('?')[0] === path
    const hits = await this.until(all => all.some(matches))
    const found = hits.filter(matches)
    if (found.length !== 1) throw new Error(`${found.length} hits for ${path}`)
    return found[0]!
  }
}
