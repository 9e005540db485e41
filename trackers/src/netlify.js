/** Netlify Edge Functions: `export default pugmark({ host, siteId, key })`, in front of every page. */
import { followed, waitUntilOf } from './fetch.js'

/**
 * @template {(request: any, context: any) => any} Handler
 * @param {import('./tracker.js').TrackerOptions} options
 * @param {Handler} [handler] Without one, the request goes on to the site, and its answer comes back untouched.
 */
export function pugmark(options, handler) {
  /** @type {Handler} */
  const pass = /** @type {any} */ (
    (/** @type {any} */ _request, /** @type {any} */ context) => context.next()
  )
  return followed(options, handler ?? pass, (_tracker, _request, context) => ({
    ip: context?.ip,
    country: context?.geo?.country?.code,
    waitUntil: waitUntilOf(context),
  }))
}
