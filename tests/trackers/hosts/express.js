/** An Express server with the tracker. */
import { Readable } from 'node:stream'
import express from 'express'
import { pugmark } from '../../../trackers/src/express.js'
import { pieces } from './pieces.js'
import { atShutdown, options, sayListening } from './settings.js'
import { echoWebSockets } from './web-socket.js'

const app = express()
app.use(pugmark(options))
app.get('/missing', (_request, response) => response.status(404).send('not here'))
app.get('/moved', (_request, response) => response.redirect('/page'))
app.post('/form', (_request, response) => response.status(201).send('taken'))
app.get('/stream', (_request, response) => Readable.from(pieces()).pipe(response))
app.get('/sized', (_request, response) => response.send('of known size'))
app.get('/slow', (_request, response) => setTimeout(() => response.send('slow'), 50))
app.get('/hang', () => {})
app.get('/boom', () => {
  throw new Error('boom')
})
// A router changes request.url; what is reported is what the client asked for.
app.use(
  '/',
  express.Router().use('/mounted', (_request, response) => response.send('page')),
)
app.use((_request, response) => response.send('page'))
app.use((_error, _request, response, _next) => response.status(500).send('boom'))

const server = app.listen(0, '127.0.0.1', () => sayListening(server.address().port))
echoWebSockets(server)
atShutdown(() => server.close())
