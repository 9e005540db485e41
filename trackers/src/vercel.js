/** Vercel's edge: an Edge Function, or the Routing Middleware (`middleware.ts`) of a site of any framework. */
import { followed, waitUntilOf } from './fetch.js'

/**
 * @template {(request: any, context: any) => any} Handler
 * @param {import('./tracker.js').TrackerOptions} options
 * @param {Handler} [handler] Without one, every request passes on.
 */
export function pugmark(options, handler) {
  const pass = /** @type {Handler} */ (/** @type {unknown} */ (() => undefined))
  return followed(options, handler ?? pass, (_tracker, request, context) => ({
    // Vercel overwrites both, whatever the client sent.
    ip: request.headers.get('x-real-ip'),
    country: request.headers.get('x-vercel-ip-country'),
    waitUntil: waitUntilOf(context),
  }))
}
