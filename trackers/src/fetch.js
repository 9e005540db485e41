/** The shared part of all fetch handlers, `(request, …) => Response`, on edges, Deno and Bun. */
import { createTracker } from './tracker.js'

/** @typedef {import('./tracker.js').Tracker} Tracker */
/** @typedef {import('./tracker.js').TrackerOptions} TrackerOptions */
/** @typedef {import('./tracker.js').WaitUntil} WaitUntil */

/**
 * What the platform knows about a client.
 * @typedef {object} Platform
 * @property {string | null | undefined} ip
 * @property {string | null | undefined} [country]
 * @property {WaitUntil} [waitUntil] Absent where the process lives on after a request.
 */

/**
 * Wraps a handler. Passes on its response untouched, and whatever it throws.
 * @template {(request: any, ...rest: any[]) => any} Handler
 * @param {TrackerOptions | ((...rest: any[]) => TrackerOptions)} options Or a function of the handler's other arguments (`env`).
 * @param {Handler} handler
 * @param {(tracker: Tracker, request: Parameters<Handler>[0], ...rest: any[]) => Platform} platformOf
 * @returns {Handler & { close: () => Promise<void> }}
 */
export function followed(options, handler, platformOf) {
  /** @type {Tracker | undefined} */
  let tracker
  /** @this {unknown} @param {any} request @param {any[]} rest */
  async function wrapped(request, ...rest) {
    const start = startNow()
    /** @type {Outcome} */
    let outcome = { status: 500 }
    try {
      const response = await handler.call(this, request, ...rest)
      outcome = outcomeOf(request, response)
      return response
    } finally {
      try {
        tracker ??= createTracker(typeof options === 'function' ? options(...rest) : options)
        report(tracker, request, outcome, start, () =>
          platformOf(/** @type {Tracker} */ (tracker), request, ...rest),
        )
      } catch {
        // No odd request may stop the host.
      }
    }
  }
  const close = async () => tracker?.close()
  return /** @type {any} */ (Object.assign(wrapped, { close }))
}

/** When a request came in, by two clocks: one tells the time, the other never jumps. */
export const startNow = () => ({ atMs: Date.now(), tickMs: performance.now() })

/**
 * The result of a request. Empty when another handler will answer it.
 * @typedef {{ status?: number, bytes?: number | undefined }} Outcome
 */

/**
 * A middleware passes a request on by returning nothing, or by a header.
 * @param {Request} request
 * @param {Response | null | undefined} response
 * @returns {Outcome}
 */
export function outcomeOf({ method }, response) {
  if (!response) return {}
  const { headers, status } = response
  if (headers?.has('x-middleware-next') || headers?.has('x-middleware-rewrite')) return {}
  if (method === 'HEAD' || status === 204 || status === 304) return { status, bytes: 0 }
  // Counting the bytes of a stream would mean to read it.
  const length = headers?.get('content-length')
  return { status, bytes: length && /^\d+$/.test(length) ? Number(length) : undefined }
}

/**
 * @param {Tracker} tracker
 * @param {Request} request
 * @param {Outcome} outcome
 * @param {ReturnType<typeof startNow>} start
 * @param {() => Platform} platformOf
 */
export function report(tracker, request, { status, bytes }, start, platformOf) {
  if (!tracker.follows(request.method, request.url) || request.headers.has('upgrade')) return
  const userAgent = request.headers.get('user-agent') ?? ''
  const referrer = request.headers.get('referer') ?? undefined
  if (tracker.leavesOut(request.url, userAgent, referrer, hostOf(request.url))) return
  const durationMs = Math.round(performance.now() - start.tickMs)
  const { ip, country, waitUntil } = platformOf()
  tracker.record(
    {
      method: request.method,
      url: request.url,
      status,
      bytes,
      duration_ms: status === undefined ? undefined : durationMs,
      user_agent: userAgent,
      referrer,
      ip: ip ?? undefined,
      country: country ?? undefined,
      timestamp: start.atMs,
    },
    waitUntil,
  )
}

/** Host and port of an absolute URL. @param {string} url */
const hostOf = url => url.split('/', 3)[2]

/**
 * `context.waitUntil`, bound to its context as edges require.
 * @param {{ waitUntil?: (promise: Promise<any>) => void } | undefined} context
 * @returns {WaitUntil | undefined}
 */
export const waitUntilOf = context =>
  context?.waitUntil === undefined ? undefined : promise => context.waitUntil?.(promise)
