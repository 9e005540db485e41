/** Runs a Netlify Edge Function in Deno, as Netlify does, with a context of the shape that its reference gives. */
import { pugmark } from '../../../trackers/src/netlify.js'
import { answer } from './fetch-routes.js'
import { options, sayListening } from './settings.js'

const edgeFunction = pugmark(options)
const underWay = new Set()

const server = Deno.serve(
  {
    hostname: '127.0.0.1',
    port: 0,
    onListen: address => sayListening(address.port),
    onError: () => new Response('boom', { status: 500 }),
  },
  request =>
    edgeFunction(request, {
      ip: '192.0.2.44',
      geo: { country: { code: 'PT', name: 'Portugal' } },
      next: async () => answer(request),
      waitUntil: promise => {
        underWay.add(promise)
      },
    }),
)

const stop = async () => {
  Deno.removeSignalListener('SIGTERM', stop)
  await server.shutdown()
  await Promise.all(underWay)
}
Deno.addSignalListener('SIGTERM', stop)
