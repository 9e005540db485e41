/** Express 4 and 5: `app.use(footfall({ host, siteId, key }))`, before everything else. */
export { footfall } from './node.js'
