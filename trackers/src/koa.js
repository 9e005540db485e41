/** Koa: `app.use(pugmark({ host, siteId, key }))`, before everything else. */
import { follower } from './node.js'
import { createPost } from './node-post.js'
import { createTracker } from './tracker.js'

/** @typedef {{ req: import('./node.js').Request, res: import('./node.js').Response, originalUrl: string }} Context */

/** @param {import('./tracker.js').TrackerOptions} options */
export function pugmark(options) {
  const tracker = createTracker(options, createPost())
  const follow = follower(tracker)
  /**
   * @param {Context} context
   * @param {() => Promise<unknown>} next
   */
  const middleware = (context, next) => {
    follow(context.req, context.res, context.originalUrl)
    return next()
  }
  return Object.assign(middleware, { tracker, close: () => tracker.close() })
}
