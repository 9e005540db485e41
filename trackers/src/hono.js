/** Hono on Node, Workers, Deno or Bun: `app.use(pugmark({ host, siteId, key }))`, before everything else. */
import { clientAddress } from './client-address.js'
import { outcomeOf, report, startNow, waitUntilOf } from './fetch.js'
import { createTracker } from './tracker.js'

/** @typedef {import('./tracker.js').TrackerOptions} TrackerOptions */

/** @param {TrackerOptions | ((context: any) => TrackerOptions)} options Or a function of Hono's context, for `context.env`. */
export function pugmark(options) {
  /** @type {import('./tracker.js').Tracker | undefined} */
  let tracker
  /** @param {any} context @param {() => Promise<void>} next */
  const middleware = async (context, next) => {
    const start = startNow()
    // When this returns, Hono has turned an error of the handler into a response.
    await next()
    try {
      tracker ??= createTracker(typeof options === 'function' ? options(context) : options)
      const request = context.req.raw
      report(tracker, request, outcomeOf(request, context.res), start, () =>
        platformOf(/** @type {any} */ (tracker).trustProxy, context),
      )
    } catch {
      // No odd request may stop the host.
    }
  }
  return Object.assign(middleware, { close: async () => tracker?.close() })
}

/** @param {import('./client-address.js').TrustProxy} trustProxy @param {any} context */
function platformOf(trustProxy, context) {
  const { req, env } = context
  // `cf` is an object of the Workers runtime, not a header. Where it exists, Cloudflare wrote the address.
  if (req.raw.cf !== undefined) {
    return {
      ip: req.header('cf-connecting-ip'),
      country: req.raw.cf.country,
      waitUntil: waitUntilOf(context.executionCtx),
    }
  }
  const peer =
    env?.incoming?.socket?.remoteAddress ?? // @hono/node-server
    env?.remoteAddr?.hostname ?? // Deno
    (env?.server ?? env)?.requestIP?.(req.raw)?.address // Bun
  return { ip: clientAddress(trustProxy, peer, name => req.header(name)) }
}
