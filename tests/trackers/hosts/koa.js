/** A Koa server with the tracker. */
import { Readable } from 'node:stream'
import Koa from 'koa'
import { pugmark } from '../../../trackers/src/koa.js'
import { pieces } from './pieces.js'
import { atShutdown, options, sayListening } from './settings.js'
import { echoWebSockets } from './web-socket.js'

const app = new Koa()
app.silent = true
app.use(pugmark(options))
app.use(async context => {
  if (context.path === '/missing') context.throw(404, 'not here')
  else if (context.path === '/moved') context.redirect('/page')
  else if (context.path === '/form') {
    context.status = 201
    context.body = 'taken'
  } else if (context.path === '/stream') context.body = Readable.from(pieces())
  else if (context.path === '/sized') context.body = 'of known size'
  else if (context.path === '/slow') {
    await new Promise(resolve => setTimeout(resolve, 50))
    context.body = 'slow'
  } else if (context.path === '/hang') await new Promise(() => {})
  else if (context.path === '/boom') throw new Error('boom')
  else context.body = 'page'
})

const server = app.listen(0, '127.0.0.1', () => sayListening(server.address().port))
echoWebSockets(server)
atShutdown(() => server.close())
