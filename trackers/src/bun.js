/** Bun: `Bun.serve({ fetch: pugmark({ host, siteId, key }, handler) })`. */
import { clientAddress } from './client-address.js'
import { followed } from './fetch.js'

/**
 * @template {(request: Request, server: any) => any} Handler
 * @param {import('./tracker.js').TrackerOptions} options
 * @param {Handler} handler
 */
export function pugmark(options, handler) {
  return followed(options, handler, (tracker, request, server) => ({
    ip: clientAddress(tracker.trustProxy, server?.requestIP?.(request)?.address, name =>
      request.headers.get(name),
    ),
  }))
}
