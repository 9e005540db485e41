/** Next.js: `export const proxy = footfall({ … })` in `proxy.ts`, or `export const middleware` in `middleware.ts` before Next 16. */
import { clientAddress } from './client-address.js'
import { report, waitUntilOf } from './fetch.js'
import { createTracker } from './tracker.js'

/**
 * It runs before the page does, so the status is only known where your own proxy answers by itself.
 * @template {(request: any, event: any) => any} Handler
 * @param {import('./tracker.js').TrackerOptions} options
 * @param {Handler} [handler] Your own proxy, if you have one. Without it every request passes on.
 * @returns {(request: any, event: any) => Promise<any>}
 */
export function footfall(options, handler) {
  const tracker = createTracker(options)
  return async (request, event) => {
    const atMs = Date.now()
    const response = await handler?.(request, event)
    try {
      if (!isPage(request)) return response
      const passesOn = response === undefined || response.headers.has('x-middleware-next')
      const isRewrite = response?.headers.has('x-middleware-rewrite')
      report(tracker, request, passesOn || isRewrite ? undefined : response.status, atMs, () => ({
        ip: addressOf(tracker, request),
        country: process.env.VERCEL ? request.headers.get('x-vercel-ip-country') : undefined,
        waitUntil: waitUntilOf(event),
      }))
    } catch {
      // Whatever is odd about this request, the host goes on.
    }
    return response
  }
}

/** Not what Next's own client fetches while a visitor moves about, nor Next's files. @param {any} request */
const isPage = request =>
  !request.headers.has('rsc') &&
  !request.headers.has('next-router-prefetch') &&
  !new URL(request.url).pathname.includes('/_next/')

/** @param {import('./tracker.js').Tracker} tracker @param {any} request */
function addressOf(tracker, request) {
  /** @param {string} name */
  const header = name => request.headers.get(name)
  // On Vercel, and only there, this header is Vercel's. Elsewhere Next tells a proxy no address of the connection.
  if (process.env.VERCEL && tracker.trustProxy === false) return header('x-real-ip')
  return clientAddress(tracker.trustProxy, undefined, header)
}
