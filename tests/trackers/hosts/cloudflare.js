/** A Cloudflare Worker with the tracker; its settings come from its bindings. */
import { pugmark } from '../../../trackers/src/cloudflare.js'
import { answer } from './fetch-routes.js'

export default pugmark(env => ({ ...env.TRACKER, ignore: path => path.startsWith('/private') }), {
  fetch(request) {
    if (request.headers.get('upgrade') !== 'websocket') return answer(request)
    const [client, server] = Object.values(new WebSocketPair())
    server.accept()
    server.addEventListener('message', event => server.send(event.data))
    return new Response(null, { status: 101, webSocket: client })
  },
})
