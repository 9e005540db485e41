/**
 * Holds answers back until all requests that came in together are dealt with, and then sends them one after the other: a client that
 * is woken by each of 32 answers costs the machine more than making them (row 1 of docs/performance.md).
 */
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { AnswerBytes } from './answer-bytes.ts'
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

/** From this length on, waiting for a round costs more than it saves: the answer leaves the processor's cache meanwhile. */
const longBytes = 16_384

/** For all routes of `app`. No answer waits for the network: only for work that is there already. */
export function answerInRounds(app: FastifyInstance, answerBytes: AnswerBytes): void {
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
      if (typeof body === 'string') inRound(() => writeText(this, headers, body))
      else if (body.length >= longBytes) {
        writeHead(this, headers, body.length)
        this.raw.end(body)
        // Nothing of it waits in this process.
        if (this.raw.writableLength === 0) answerBytes.giveBack(body)
      } else {
        // Each character stands for a byte. Head and body of text are one write, of a head and bytes two.
        const text = body.toString('latin1')
        answerBytes.giveBack(body)
        inRound(() => {
          writeHead(this, headers, text.length)
          this.raw.end(text, 'latin1')
        })
      }
    },
  )
}

function writeText(reply: FastifyReply, headers: readonly string[], text: string): void {
  const length = Buffer.byteLength(text)
  writeHead(reply, headers, length)
  // Text of ASCII alone has as many bytes as characters; as Latin-1 it needs no conversion.
  reply.raw.end(text, length === text.length ? 'latin1' : 'utf8')
}

function writeHead({ raw, request }: FastifyReply, headers: readonly string[], length: number): void {
  raw.writeHead(200, [...apiHeaders(request), ...headers, 'content-length', String(length)])
}
