/** Express 4 and 5: `app.use(pugmark({ host, siteId, key }))`, before everything else. */
export { pugmark } from './node.js'
