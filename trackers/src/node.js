/** Plain node:http, and every framework that takes `(request, response, next)`. Reports each request after its response. */
import { clientAddress } from './client-address.js'
import { createPost } from './node-post.js'
import { createTracker } from './tracker.js'

/** @typedef {import('node:http').IncomingMessage & { originalUrl?: string }} Request */
/** @typedef {import('node:http').ServerResponse} Response */
/** @typedef {import('./tracker.js').Tracker} Tracker */

/**
 * Call it first in the request handler, or give it to a framework as Connect-style middleware.
 * `close()` delivers the queue at shutdown. When the HTTP server closes, that happens by itself.
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
 * The shared part of all Node frameworks.
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
      // `request.headers` would make Node parse them all. Of several headers with one name, the first counts.
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
        // Read now, because a closed connection no longer has it.
        ip: trustProxy === false ? socket.remoteAddress : addressBehindProxy(trustProxy, request),
        country: undefined,
        timestamp: Date.now(),
      }
      // Every response ends with `close`, even one that the client cut off or that never began.
      response.on('close', () => {
        if (response.headersSent) hit.status = response.statusCode
        hit.bytes = bodyBytes(response, socket.bytesWritten - bytesBefore)
        hit.duration_ms = Math.round(performance.now() - startMs)
        tracker.record(hit)
      })
    } catch {
      // No odd request may stop the host.
    }
  }
}

/**
 * Bytes of the body as access logs count them: the bytes on the connection without the header. Undefined on HTTP/2 and in other
 * runtimes, which do not tell them. Of pipelined requests, which no browser sends, one counts the bytes of the others.
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
