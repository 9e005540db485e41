/** The routes of the hosts whose handler is a function from Request to Response. */
import { pieces } from './pieces.js'

export function answer(request) {
  const { pathname } = new URL(request.url)
  if (pathname === '/missing') return new Response('not here', { status: 404 })
  if (pathname === '/moved') return new Response(null, { status: 302, headers: { location: '/page' } })
  if (pathname === '/form') return new Response('taken', { status: 201 })
  if (pathname === '/sized') return new Response('of known size', { headers: { 'content-length': '13' } })
  if (pathname === '/slow') return new Promise(resolve => setTimeout(() => resolve(new Response('slow')), 50))
  if (pathname === '/stream') return new Response(asStream(pieces()))
  if (pathname === '/hang') return new Promise(() => {})
  if (pathname === '/boom') throw new Error('boom')
  return new Response('page')
}

function asStream(parts) {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
  })
}
