/** A body is read whole or not at all, and nobody waits for its end for ever. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.ts'
import { collectBody } from './collect-body.ts'

const memory = { grow() {}, release() {} }
const arrivalMs = 300

/** What a body comes to that is sent in these pieces, with a content-length of 10. */
async function collected(pieces: readonly string[]): Promise<Buffer | unknown> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sender = connect((server.address() as AddressInfo).port, '127.0.0.1')
  sender.on('error', () => {})
  sender.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n')
  const [raw, response] = await once(server, 'request')
  for (const piece of pieces) sender.write(piece)
  const outcome = await collectBody({ raw, headers: raw.headers } as FastifyRequest, memory, arrivalMs).catch(
    error => error,
  )
  response.end()
  sender.destroy()
  server.close()
  return outcome
}

test('a body that comes in pieces is one', async () => {
  assert.equal(String(await collected(['hello', 'world'])), 'helloworld')
})

test('of a sender who stops in the middle, nothing is kept for longer than a delivery may take', async () => {
  const error = await collected(['hello'])
  assert.ok(error instanceof AppError && error.code === 'INVALID_JSON')
})
