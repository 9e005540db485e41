/** Fastify 4 and 5: `app.register(pugmark, { host, siteId, key })`; `app.close()` delivers the queue. */
import { follower } from './node.js'
import { createPost } from './node-post.js'
import { createTracker } from './tracker.js'

/** @typedef {{ raw: import('./node.js').Request, originalUrl: string }} Request */
/** @typedef {{ raw: import('./node.js').Response }} Reply */

/**
 * @param {any} app
 * @param {import('./tracker.js').TrackerOptions} options
 * @param {(error?: Error) => void} done
 */
export function pugmark(app, options, done) {
  const tracker = createTracker(options, createPost())
  const follow = follower(tracker)
  app.addHook(
    'onRequest',
    /** @type {(request: Request, reply: Reply, done: () => void) => void} */
    (request, reply, next) => {
      follow(request.raw, reply.raw, request.originalUrl)
      next()
    },
  )
  app.addHook('onClose', () => tracker.close())
  done()
}

// Tells Fastify to apply the hooks to all routes, not only to those of this plugin.
Object.assign(pugmark, { [Symbol.for('skip-override')]: true })
