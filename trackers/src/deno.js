/** Deno: `Deno.serve(pugmark({ host, siteId, key }, handler))`. */
import { clientAddress } from './client-address.js'
import { followed } from './fetch.js'

/**
 * @template {(request: Request, info: any) => Response | Promise<Response>} Handler
 * @param {import('./tracker.js').TrackerOptions} options
 * @param {Handler} handler
 */
export function pugmark(options, handler) {
  return followed(options, handler, (tracker, request, info) => ({
    ip: clientAddress(tracker.trustProxy, info?.remoteAddr?.hostname, name => request.headers.get(name)),
  }))
}
