/** An echo over WebSocket beside the host's own requests. */
import { WebSocketServer } from 'ws'

export function echoWebSockets(server) {
  new WebSocketServer({ server, path: '/echo' }).on('connection', socket =>
    socket.on('message', message => socket.send(String(message))),
  )
}
