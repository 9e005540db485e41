/** Plain node:http, and everything that takes `(request, response, next)`: reports each request after its response. */
import { clientAddress } from './client-address.js'
import { createPost } from './node-post.js'
import { createTracker } from './tracker.js'

/** @typedef {import('node:http').IncomingMessage & { originalUrl?: string }} Request */
/** @typedef {import('node:http').ServerResponse} Response */
/** @typedef {import('./tracker.js').Tracker} Tracker */

/**
 * Call it first in the request handler, or hand it to anything that takes Connect-style middleware.
 * `close()` flushes at shutdown; when the HTTP server closes, that is done for you.
 * @param {import('./tracker.js').TrackerOptions} options
 */
export function footfall(options) {
  const tracker = createTracker(options, createPost())
  const follow = follower(tracker)
  /**
   * @param {Request} request
   * @param {Response} response
   * @param {() => void} [next]
   */
  const middleware = (request, response, next) => {
    follow(request, response, request.originalUrl ?? request.url)
    next?.()
  }
  return Object.assign(middleware, { tracker, close: () => tracker.close() })
}

/**
 * The part that all Node frameworks share.
 * @param {Tracker} tracker
 * @returns {(request: Request, response: Response, url: string | undefined) => void}
 */
export function follower(tracker) {
  const { trustProxy } = tracker
  /** @type {WeakSet<object>} */
  const servers = new WeakSet()
  /** @type {import('node:events').EventEmitter | undefined} */
  let lastServer
  return (request, response, url) => {
    try {
      if (!tracker.follows(request.method, url)) return
      const { socket, rawHeaders } = request
      const { server } = /** @type {{ server?: import('node:events').EventEmitter }} */ (
        /** @type {unknown} */ (socket)
      )
      if (server !== undefined && server !== lastServer) {
        lastServer = server
        if (!servers.has(server)) server.once('close', () => tracker.flush())
        servers.add(server)
      }
      const hit = {
        method: /** @type {string} */ (request.method),
        url: /** @type {string} */ (url),
        status: /** @type {number | undefined} */ (undefined),
        user_agent: rawHeader(rawHeaders, 'user-agent') ?? '',
        referrer: rawHeader(rawHeaders, 'referer'),
        // Now, because a closed connection no longer tells.
        ip: trustProxy === false ? socket.remoteAddress : addressBehindProxy(trustProxy, request),
        country: undefined,
        timestamp: Date.now(),
      }
      // `close` comes after every response: finished, cut off by the client, or never begun.
      response.on('close', () => {
        if (response.headersSent) hit.status = response.statusCode
        tracker.record(hit)
      })
    } catch {
      // Whatever is odd about this request, the host goes on.
    }
  }
}

/** One header without making Node parse them all, which it does on the first use of `request.headers`. */
/** @param {string[]} rawHeaders @param {string} name */
function rawHeader(rawHeaders, name) {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const candidate = rawHeaders[i]
    if (candidate?.length === name.length && candidate.toLowerCase() === name) return rawHeaders[i + 1]
  }
  return undefined
}

/** @param {import('./client-address.js').TrustProxy} trustProxy @param {Request} request */
function addressBehindProxy(trustProxy, request) {
  return clientAddress(trustProxy, request.socket.remoteAddress, name => {
    const value = request.headers[name.toLowerCase()]
    return Array.isArray(value) ? value.join(',') : value
  })
}
