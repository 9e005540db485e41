/** Answers methods that a path does not have with 405 and an Allow header. No key is needed. */
import { METHODS } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { sendMethodNotAllowed } from './error-response.ts'

/** Makes the router know every method of HTTP. CONNECT never gets as far as a router. */
export function knowEveryMethod(app: FastifyInstance): void {
  const unknown = METHODS.filter(method => method !== 'CONNECT' && !app.supportedMethods.includes(method))
  for (const method of unknown) app.addHttpMethod(method)
}

/** Collects the methods of every route that is added from here on. */
export function watchRoutes(app: FastifyInstance): ReadonlyMap<string, ReadonlySet<string>> {
  const methodsByUrl = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    methodsByUrl.set(url, methods)
  })
  return methodsByUrl
}

export function refuseOtherMethods(app: FastifyInstance, url: string, allowed: readonly string[]): void {
  app.route({
    method: app.supportedMethods.filter(method => !allowed.includes(method)),
    url,
    schema: { hide: true },
    // The body of a request that is refused is not read.
    onRequest: sendMethodNotAllowed(allowed),
    handler: sendMethodNotAllowed(allowed),
  })
}
