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
export function pugmark(options) {
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
      let userAgent = ''
      /** @type {string | undefined} */
      let referrer
      /** @type {string | undefined} */
      let host
      // Without making Node parse them all, which it does on the first use of `request.headers`. The first of a name counts.
      for (let i = rawHeaders.length - 2; i >= 0; i -= 2) {
        const name = /** @type {string} */ (rawHeaders[i])
        if (name.length === 10 && isName(name, 'user-agent'))
          userAgent = /** @type {string} */ (rawHeaders[i + 1])
        else if (name.length === 7 && isName(name, 'referer')) referrer = rawHeaders[i + 1]
        else if (name === ':authority' || (name.length === 4 && isName(name, 'host')))
          host = rawHeaders[i + 1]
      }
      if (tracker.leavesOut(/** @type {string} */ (url), userAgent, referrer, host)) return
      const { server } = /** @type {{ server?: import('node:events').EventEmitter }} */ (
        /** @type {unknown} */ (socket)
      )
      if (server !== undefined && server !== lastServer) {
        lastServer = server
        if (!servers.has(server)) server.once('close', () => tracker.flush())
        servers.add(server)
      }
      const startMs = performance.now()
      const bytesBefore = socket.bytesWritten
      /** @type {import('./hit.js').Hit} */
      const hit = {
        method: /** @type {string} */ (request.method),
        url: /** @type {string} */ (url),
        status: undefined,
        user_agent: userAgent,
        referrer,
        // Now, because a closed connection no longer tells.
        ip: trustProxy === false ? socket.remoteAddress : addressBehindProxy(trustProxy, request),
        country: undefined,
        timestamp: Date.now(),
      }
      // `close` comes after every response: finished, cut off by the client, or never begun.
      response.on('close', () => {
        if (response.headersSent) hit.status = response.statusCode
        hit.bytes = bodyBytes(response, socket.bytesWritten - bytesBefore)
        hit.duration_ms = Math.round(performance.now() - startMs)
        tracker.record(hit)
      })
    } catch {
      // Whatever is odd about this request, the host goes on.
    }
  }
}

/**
 * Bytes of the body as access logs count them: what the connection carried, without the header. Undefined where the host does
 * not tell them apart: on HTTP/2, in other runtimes than Node, and for a response that waited behind another one.
 * @param {Response & { _header?: unknown }} response
 * @param {number} written
 * @returns {number | undefined}
 */
function bodyBytes({ _header: header }, written) {
  if (typeof header !== 'string' || !header.startsWith('HTTP/')) return undefined
  return written >= header.length ? written - header.length : undefined
}

/** @param {string} written @param {string} name In lower case. */
const isName = (written, name) => written === name || written.toLowerCase() === name

/** @param {import('./client-address.js').TrustProxy} trustProxy @param {Request} request */
function addressBehindProxy(trustProxy, request) {
  return clientAddress(trustProxy, request.socket.remoteAddress, name => {
    const value = request.headers[name.toLowerCase()]
    return Array.isArray(value) ? value.join(',') : value
  })
}
