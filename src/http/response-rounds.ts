/**
 * Holds answers back until some of the requests that came in together are dealt with, and then sends them one after the other: a client that
 * is woken by each of 32 answers costs the machine more than making them (row 1 of docs/performance.md).
 */
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { AnswerBytes } from './answer-bytes.ts'
import { apiHeaders } from './api-headers.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** As ResponseRounds.sendWhole, past the hooks and look-ups that the framework has for all kinds of answers. Only on routes that answer in rounds. */
    sendWhole?(headers: readonly string[], body: string | Buffer): void
  }
}

/** From this length on, waiting for a round costs more than it saves: the answer leaves the processor's cache meanwhile. */
const longBytes = 16_384

/** So many are sent at once: more would leave the processor's cache before they are sent, and the client nothing to do meanwhile. */
const roundMax = 8

/** No answer waits for the network: only for work that is there already. */
export class ResponseRounds {
  readonly #answerBytes: AnswerBytes
  #waiting: (() => void)[] = []
  readonly #sendAll = (): void => {
    const ready = this.#waiting
    this.#waiting = []
    for (const send of ready) send()
  }

  constructor(answerBytes: AnswerBytes) {
    this.#answerBytes = answerBytes
  }

  add(send: () => void): void {
    const count = this.#waiting.push(send)
    if (count === 1) setImmediate(this.#sendAll)
    else if (count === roundMax) this.#sendAll()
  }

  /** Sends an answer that is there as a whole. Headers are names and values in turn; its length is added. */
  sendWhole(response: ServerResponse, headers: string[], body: string | Buffer, status = 200): void {
    if (typeof body === 'string') {
      // Text of ASCII alone has as many bytes as characters; as Latin-1 it needs no conversion.
      const length = Buffer.byteLength(body)
      this.#sendText(response, status, headers, length, body, length === body.length ? 'latin1' : 'utf8')
    } else if (body.length < longBytes) {
      // Each character stands for a byte. Head and body of text are one write, of a head and bytes two.
      const text = body.toString('latin1')
      this.#answerBytes.giveBack(body)
      this.#sendText(response, status, headers, text.length, text, 'latin1')
    } else {
      headers.push('content-length', String(body.length))
      response.writeHead(status, headers)
      response.end(body)
      // Nothing of it waits in this process.
      if (response.writableLength === 0) this.#answerBytes.giveBack(body)
    }
  }

  #sendText(
    response: ServerResponse,
    status: number,
    headers: string[],
    length: number,
    text: string,
    encoding: 'latin1' | 'utf8',
  ): void {
    headers.push('content-length', String(length))
    this.add(() => {
      response.writeHead(status, headers)
      response.end(text, encoding)
    })
  }
}

/** For all routes of `app`. */
export function answerInRounds(app: FastifyInstance, rounds: ResponseRounds): void {
  app.addHook('onSend', (_request, _reply, _payload, done) => rounds.add(done))
  app.decorateReply(
    'sendWhole',
    function (this: FastifyReply, headers: readonly string[], body: string | Buffer) {
      this.hijack()
      rounds.sendWhole(this.raw, [...apiHeaders(this.request), ...headers], body)
    },
  )
}
