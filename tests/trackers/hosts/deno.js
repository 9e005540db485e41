/** A Deno server with the tracker. */
import { pugmark } from '../../../trackers/src/deno.js'
import { answer } from './fetch-routes.js'
import { options, sayListening } from './settings.js'

const handler = pugmark(options, request => {
  if (request.headers.get('upgrade') !== 'websocket') return answer(request)
  const { socket, response } = Deno.upgradeWebSocket(request)
  socket.onmessage = event => socket.send(event.data)
  return response
})
const server = Deno.serve(
  {
    hostname: '127.0.0.1',
    port: 0,
    onListen: address => sayListening(address.port),
    onError: () => new Response('boom', { status: 500 }),
  },
  handler,
)

const stop = async () => {
  Deno.removeSignalListener('SIGTERM', stop)
  await server.shutdown()
  await handler.close()
}
Deno.addSignalListener('SIGTERM', stop)
