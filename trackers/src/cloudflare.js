/** Cloudflare Workers, as the site itself or in front of it: `export default pugmark(env => ({ … }), { fetch })`. */
import { followed, waitUntilOf } from './fetch.js'

/** @typedef {import('./tracker.js').TrackerOptions} TrackerOptions */
/** @typedef {{ waitUntil?: (promise: Promise<any>) => void }} Context */

/**
 * @template {{ fetch: (request: any, env: any, context: any) => any }} Worker
 * @param {TrackerOptions | ((env: any) => TrackerOptions)} options Or a function of the worker's `env`, which holds its secrets.
 * @param {Worker} worker Its other handlers (`scheduled`, `queue`, …) stay unchanged.
 * @returns {Worker}
 */
export function pugmark(options, worker) {
  /** @param {any} request @param {any} env @param {any} context */
  const handle = (request, env, context) => worker.fetch(request, env, context)
  const fetch = followed(options, handle, (_tracker, request, _env, /** @type {Context} */ context) => ({
    // Cloudflare overwrites what the client sent.
    ip: request.headers.get('cf-connecting-ip'),
    country: request.cf?.country,
    waitUntil: waitUntilOf(context),
  }))
  return { ...worker, fetch }
}
