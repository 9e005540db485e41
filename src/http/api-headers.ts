/** The headers that every answer of the API has, whichever way it is sent. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RateVerdict } from '../accounts/rate-limit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route that is bounded by requests a minute. */
    allowance: RateVerdict | undefined
  }
}

const exposedHeaders =
  'ETag, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed'

/** Names and values in turn, as node:http takes them without looking at each by itself (row 1 of docs/performance.md). */
export function apiHeaders({ id, allowance }: Pick<FastifyRequest, 'id' | 'allowance'>): string[] {
  const headers = [
    'x-request-id',
    id,
    'x-content-type-options',
    'nosniff',
    // A bearer key is no ambient credential: any origin may ask.
    'access-control-allow-origin',
    '*',
    'access-control-expose-headers',
    exposedHeaders,
  ]
  if (allowance) {
    headers.push(
      'x-ratelimit-limit',
      String(allowance.limit),
      'x-ratelimit-remaining',
      String(allowance.remaining),
      'x-ratelimit-reset',
      String(allowance.resetSeconds),
    )
  }
  return headers
}

/** Puts them into whatever the framework sends for routes of `api`. */
export function addApiHeaders(api: FastifyInstance): void {
  api.decorateRequest('allowance')
  api.addHook('onSend', (request, reply, _payload, done) => {
    const headers = apiHeaders(request)
    for (let i = 0; i < headers.length; i += 2) reply.header(headers[i]!, headers[i + 1]!)
    done()
  })
}
