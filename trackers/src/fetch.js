/** The part that all fetch handlers share: `(request, …) => Response`, as edges, Deno and Bun have them. */
import { createTracker } from './tracker.js'

/** @typedef {import('./tracker.js').Tracker} Tracker */
/** @typedef {import('./tracker.js').TrackerOptions} TrackerOptions */
/** @typedef {import('./tracker.js').WaitUntil} WaitUntil */

/**
 * What the platform knows about a request.
 * @typedef {object} Platform
 * @property {string | null | undefined} ip
 * @property {string | null | undefined} [country]
 * @property {WaitUntil} [waitUntil] Absent where the process lives on between requests.
 */

/**
 * Wraps a handler. Its response goes out untouched, and what it throws is thrown on.
 * @template {(request: any, ...rest: any[]) => any} Handler
 * @param {TrackerOptions | ((...rest: any[]) => TrackerOptions)} options Or a function of what follows the request (`env`).
 * @param {Handler} handler
 * @param {(tracker: Tracker, request: Parameters<Handler>[0], ...rest: any[]) => Platform} platformOf
 * @returns {Handler & { close: () => Promise<void> }}
 */
export function followed(options, handler, platformOf) {
  /** @type {Tracker | undefined} */
  let tracker
  /** @this {unknown} @param {any} request @param {any[]} rest */
  async function wrapped(request, ...rest) {
    const atMs = Date.now()
    /** @type {number | undefined} */
    let status = 500
    try {
      const response = await handler.call(this, request, ...rest)
      status = statusOf(response)
      return response
    } finally {
      try {
        tracker ??= createTracker(typeof options === 'function' ? options(...rest) : options)
        report(tracker, request, status, atMs, () =>
          platformOf(/** @type {Tracker} */ (tracker), request, ...rest),
        )
      } catch {
        // Whatever is odd about this request, the host goes on.
      }
    }
  }
  const close = async () => tracker?.close()
  return /** @type {any} */ (Object.assign(wrapped, { close }))
}

/**
 * Undefined where another will answer: a middleware that returns nothing, or says by a header that the request passes on.
 * @param {Response | null | undefined} response
 * @returns {number | undefined}
 */
export function statusOf(response) {
  if (!response) return undefined
  const { headers, status } = response
  return headers?.has('x-middleware-next') || headers?.has('x-middleware-rewrite') ? undefined : status
}

/**
 * @param {Tracker} tracker
 * @param {Request} request
 * @param {number | undefined} status Undefined when not known.
 * @param {number} atMs
 * @param {() => Platform} platformOf
 */
export function report(tracker, request, status, atMs, platformOf) {
  if (!tracker.follows(request.method, request.url) || request.headers.has('upgrade')) return
  const userAgent = request.headers.get('user-agent') ?? ''
  const referrer = request.headers.get('referer') ?? undefined
  if (tracker.leavesOut(request.url, userAgent, referrer, hostOf(request.url))) return
  const { ip, country, waitUntil } = platformOf()
  tracker.record(
    {
      method: request.method,
      url: request.url,
      status,
      user_agent: userAgent,
      referrer,
      ip: ip ?? undefined,
      country: country ?? undefined,
      timestamp: atMs,
    },
    waitUntil,
  )
}

/** Host and port of an absolute URL. @param {string} url */
const hostOf = url => url.split('/', 3)[2]

/**
 * `context.waitUntil`, bound to its context, which edges insist on.
 * @param {{ waitUntil?: (promise: Promise<any>) => void } | undefined} context
 * @returns {WaitUntil | undefined}
 */
export const waitUntilOf = context =>
  context?.waitUntil === undefined ? undefined : promise => context.waitUntil?.(promise)
