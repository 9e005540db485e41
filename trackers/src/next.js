/** Next.js: `export const proxy = pugmark({ … })` in `proxy.ts`, or `export const middleware` in `middleware.ts` before Next 16. */
import { clientAddress } from './client-address.js'
import { outcomeOf, report, startNow, waitUntilOf } from './fetch.js'
import { createTracker } from './tracker.js'

/**
 * It runs before the page, so it knows status and duration only where your own proxy answers.
 * @template {(request: any, event: any) => any} Handler
 * @param {import('./tracker.js').TrackerOptions} options
 * @param {Handler} [handler] Your own proxy, if you have one. Without it, every request passes on.
 * @returns {(request: any, event: any) => Promise<any>}
 */
export function pugmark(options, handler) {
  const tracker = createTracker(options)
  return async (request, event) => {
    const start = startNow()
    const response = await handler?.(request, event)
    try {
      // Next's own files. Only a `matcher` can tell what Next's client fetches while a visitor moves about (see the guide).
      if (new URL(request.url).pathname.includes('/_next/')) return response
      report(tracker, request, outcomeOf(request, response), start, () => ({
        ip: addressOf(tracker, request),
        country: process.env.VERCEL ? request.headers.get('x-vercel-ip-country') : undefined,
        waitUntil: waitUntilOf(event),
      }))
    } catch {
      // No odd request may stop the host.
    }
    return response
  }
}

/** @param {import('./tracker.js').Tracker} tracker @param {any} request */
function addressOf(tracker, request) {
  /** @param {string} name */
  const header = name => request.headers.get(name)
  // On Vercel, and only there, this header is Vercel's. Elsewhere Next tells a proxy no address of the connection.
  if (process.env.VERCEL && tracker.trustProxy === false) return header('x-real-ip')
  return clientAddress(tracker.trustProxy, undefined, header)
}
