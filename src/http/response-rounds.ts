/**
 * Holds answers back until all requests that came in together are dealt with, and then sends them one after the other: a client that
 * is woken by each of 32 answers costs the machine more than making them (row 1 of docs/performance.md).
 */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { apiHeaders } from './api-headers.ts'

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Sends an answer of status 200 that is there as a whole, with its headers as names and values in turn, past the hooks and
     * look-ups that the framework has for all kinds of answers (row 1 of docs/performance.md). Only on routes that answer in rounds.
     */
    sendWhole?(headers: readonly string[], body: string | Buffer): void
  }
}

/** For all routes of `app`. No answer waits for the network: only for work that is there already. */
export function answerInRounds(app: FastifyInstance): void {
  let waiting: (() => void)[] = []
  const sendAll = (): void => {
    const ready = waiting
    waiting = []
    for (const send of ready) send()
  }
  const inRound = (send: () => void): void => {
    if (waiting.push(send) === 1) setImmediate(sendAll)
  }
  app.addHook('onSend', (_request, _reply, _payload, done) => inRound(done))
  app.decorateReply(
    'sendWhole',
    function (this: FastifyReply, headers: readonly string[], body: string | Buffer) {
      this.hijack()
      inRound(() => writeWhole(this, headers, body))
    },
  )
}

function writeWhole({ raw, request }: FastifyReply, headers: readonly string[], body: string | Buffer): void {
  const length = Buffer.byteLength(body)
  raw.writeHead(200, [...apiHeaders(request), ...headers, 'content-length', String(length)])
  // Text of ASCII alone has as many bytes as characters; as Latin-1 it needs no conversion.
  raw.end(body, length === body.length ? 'latin1' : 'utf8')
}
