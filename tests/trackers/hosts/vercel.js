/** A Vercel Edge Function with the tracker, as the platform calls it: with the request and a context. */
import { pugmark } from '../../../trackers/src/vercel.js'
import { answer } from './fetch-routes.js'

const handler = pugmark({ ...TRACKER, ignore: path => path.startsWith('/private') }, answer)

addEventListener('fetch', event =>
  event.respondWith(handler(event.request, { waitUntil: promise => event.waitUntil(promise) })),
)
