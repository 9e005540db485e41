/** Counts refused requests in the data health of the site that they were sent to. */
import type { onErrorHookHandler } from 'fastify'
import type { Site } from '../domain/account.ts'
import type { Source } from '../domain/event.ts'
import { toAppError } from './error-response.ts'
import type { HttpParts } from './http-parts.ts'

/** For routes that record; strangers, who have no site, must not fill its counts. */
export const countRejections =
  (parts: HttpParts, source: Source): onErrorHookHandler =>
  (request, _reply, error, done) => {
    if (request.site !== undefined) countRejection(parts, source, request.site, error)
    done()
  }

export function countRejection(parts: HttpParts, source: Source, site: Site, error: unknown): void {
  const reason = toAppError(error)?.code ?? 'SERVER_ERROR'
  parts.stores.events.countRejected(site.number, { source, reason, now: parts.clock() })
}
