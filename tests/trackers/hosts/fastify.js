/** A Fastify server with the tracker. */
import { Readable } from 'node:stream'
import Fastify from 'fastify'
import { pugmark } from '../../../trackers/src/fastify.js'
import { pieces } from './pieces.js'
import { atShutdown, options, sayListening } from './settings.js'
import { echoWebSockets } from './web-socket.js'

const app = Fastify({ forceCloseConnections: true })
app.register(pugmark, options)
app.get('/missing', (_request, reply) => reply.code(404).send('not here'))
app.get('/moved', (_request, reply) => reply.redirect('/page'))
app.post('/form', (_request, reply) => reply.code(201).send('taken'))
app.get('/stream', (_request, reply) => reply.send(Readable.from(pieces())))
app.get('/sized', async () => 'of known size')
app.get('/slow', () => new Promise(resolve => setTimeout(resolve, 50, 'slow')))
app.get('/hang', () => new Promise(() => {}))
app.get('/boom', async () => {
  throw new Error('boom')
})
app.get('/*', async () => 'page')

echoWebSockets(app.server)
atShutdown(() => app.close())
await app.listen({ port: 0, host: '127.0.0.1' })
sayListening(app.server.address().port)
