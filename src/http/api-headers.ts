/** Adds the headers that every answer of the API has, errors included. */
import type { FastifyInstance } from 'fastify'
import type { RateVerdict } from '../accounts/rate-limit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route that is bounded by requests a minute. */
    allowance: RateVerdict | undefined
  }
}

const exposedHeaders = [
  'ETag',
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Idempotent-Replayed',
  'WWW-Authenticate',
  'Allow',
].join(', ')

/** Adds them to all that routes of `api` send. A bearer key is no ambient credential, so any origin may ask. */
export function addApiHeaders(api: FastifyInstance): void {
  api.decorateRequest('allowance')
  api.addHook('onSend', (request, reply, _payload, done) => {
    allowAnyOrigin(reply)
    const { allowance } = request
    if (allowance) {
      reply.header('x-ratelimit-limit', allowance.limit)
      reply.header('x-ratelimit-remaining', allowance.remaining)
      reply.header('x-ratelimit-reset', allowance.resetSeconds)
    }
    done()
  })
}

export function allowAnyOrigin(reply: { header(name: string, value: string): unknown }): void {
  reply.header('access-control-allow-origin', '*')
  reply.header('access-control-expose-headers', exposedHeaders)
}
