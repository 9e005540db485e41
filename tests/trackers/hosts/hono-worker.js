/** A Hono application as a Cloudflare Worker, with the tracker. */
import { Hono } from 'hono'
import { pugmark } from '../../../trackers/src/hono.js'
import { answer } from './fetch-routes.js'

const app = new Hono()
app.use(pugmark(({ env }) => ({ ...env.TRACKER, ignore: path => path.startsWith('/private') })))
app.all('*', context => answer(context.req.raw))
app.onError((_error, context) => context.text('boom', 500))

export default app
