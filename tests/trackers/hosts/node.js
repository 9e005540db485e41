/** A plain node:http server with the tracker. */
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { pugmark } from '../../../trackers/src/node.js'
import { pieces } from './pieces.js'
import { atShutdown, options, sayListening } from './settings.js'
import { echoWebSockets } from './web-socket.js'

const track = pugmark(options)

const server = createServer((request, response) => {
  track(request, response)
  const path = request.url.split('?')[0]
  if (path === '/missing') response.writeHead(404).end('not here')
  else if (path === '/moved') response.writeHead(302, { location: '/page' }).end()
  else if (path === '/form') response.writeHead(201).end('taken')
  else if (path === '/stream') Readable.from(pieces()).pipe(response)
  else if (path === '/sized') response.writeHead(200, { 'content-length': '13' }).end('of known size')
  else if (path === '/slow') setTimeout(() => response.end('slow'), 50)
  else if (path === '/hang') return
  else if (path === '/boom') {
    response.writeHead(500).end('boom')
    throw new Error('boom')
  } else response.end('page')
})
process.on('uncaughtException', () => {})
echoWebSockets(server)
server.listen(0, '127.0.0.1', () => sayListening(server.address().port))
atShutdown(() => server.close())
