/**
 * Holds answers back until all requests that came in together are dealt with, and then sends them one after the other: a client that
 * is woken by each of 32 answers costs the machine more than making them (row 1 of docs/performance.md).
 */
import type { FastifyInstance } from 'fastify'

/** For all routes of `app`. No answer waits for the network: only for work that is there already. */
export function answerInRounds(app: FastifyInstance): void {
  let waiting: (() => void)[] = []
  const sendAll = (): void => {
    const ready = waiting
    waiting = []
    for (const send of ready) send()
  }
  app.addHook('onSend', (_request, _reply, _payload, done) => {
    if (waiting.push(done) === 1) setImmediate(sendAll)
  })
}
