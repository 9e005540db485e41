/** A Hono server on Node with the tracker. */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { stream } from 'hono/streaming'
import { pugmark } from '../../../trackers/src/hono.js'
import { pieces } from './pieces.js'
import { atShutdown, options, sayListening } from './settings.js'
import { echoWebSockets } from './web-socket.js'

const track = pugmark(options)
const app = new Hono()
app.use(track)
app.get('/missing', context => context.text('not here', 404))
app.get('/moved', context => context.redirect('/page'))
app.post('/form', context => context.text('taken', 201))
app.get('/stream', context =>
  stream(context, async out => {
    for await (const piece of pieces()) await out.write(piece)
  }),
)
app.get('/sized', context => context.text('of known size', 200, { 'content-length': '13' }))
app.get('/slow', async context => {
  await new Promise(resolve => setTimeout(resolve, 50))
  return context.text('slow')
})
app.get('/hang', () => new Promise(() => {}))
app.get('/boom', () => {
  throw new Error('boom')
})
app.get('*', context => context.text('page'))
app.onError((_error, context) => context.text('boom', 500))

const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, info => sayListening(info.port))
echoWebSockets(server)
atShutdown(() => server.close(() => track.close()))
