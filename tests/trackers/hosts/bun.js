/** A Bun server with the tracker. */
import { pugmark } from '../../../trackers/src/bun.js'
import { answer } from './fetch-routes.js'
import { atShutdown, options, sayListening } from './settings.js'

const handler = pugmark(options, (request, server) => {
  if (new URL(request.url).pathname === '/echo' && server.upgrade(request)) return undefined
  return answer(request)
})
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: handler,
  error: () => new Response('boom', { status: 500 }),
  websocket: { message: (socket, message) => socket.send(message) },
})
sayListening(server.port)
atShutdown(async () => {
  await server.stop()
  await handler.close()
})
