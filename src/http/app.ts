/** The HTTP server, put together: routes, errors, headers. It does not listen yet. */
import compress from '@fastify/compress'
import fastify, { type FastifyInstance, LogController } from 'fastify'
import { errorJson, sendError, sendMethodNotAllowed, sendNotFound } from './error-response.ts'
import type { HttpParts } from './http-parts.ts'
import { describeApi } from './openapi.ts'
import { acceptBatchBodies } from './receive-batch.ts'
import { logRequests, requestIds } from './request-log.ts'
import { eventsRoutes } from './routes/events.ts'
import { healthRoutes } from './routes/health.ts'
import { hitsRoute } from './routes/hits.ts'
import { sitesRoute } from './routes/sites.ts'
import { statsRoute } from './routes/stats.ts'
import { timeseriesRoute } from './routes/timeseries.ts'

/** Smaller answers cost more to compress than to send. */
const compressFromBytes = 1_024

export async function createApp(parts: HttpParts, version: string): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: parts.logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIds(),
    trustProxy: [...parts.trustProxy],
    forceCloseConnections: 'idle',
    frameworkErrors: sendError,
    routerOptions: { maxParamLength: 2_000 },
    clientErrorHandler: (_error, socket) => {
      if (!socket.writable) return
      const body = errorJson('INVALID_PARAMETER', 'This is not a valid HTTP request.')
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      )
    },
  }) as unknown as FastifyInstance
  app.setErrorHandler(sendError)
  app.setNotFoundHandler(sendNotFound)
  // Queries and bodies are read by the routes, in the order of checks that the API promises.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)
  app.decorateRequest('caller')
  app.decorateRequest('site')
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    done()
  })
  logRequests(app, parts.logger)
  await app.register(compress, { threshold: compressFromBytes, encodings: ['zstd', 'br', 'gzip'] })
  await describeApi(app, version)
  await app.register(async api => registerApi(api, parts))
  healthRoutes(app, parts)
  app.get('/openapi.json', { schema: { hide: true }, handler: async () => app.swagger() })
  return app
}

const corsMethods = 'GET, POST, OPTIONS'
const corsHeaders = 'Authorization, Content-Type, Idempotency-Key, If-None-Match'
const exposedHeaders =
  'ETag, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed'

/** Everything under /api/v1. */
function registerApi(api: FastifyInstance, parts: HttpParts): void {
  const methodsByUrl = new Map<string, Set<string>>()
  api.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    methodsByUrl.set(url, methods)
  })
  // A bearer key is no ambient credential: any origin may ask.
  api.addHook('onRequest', (_request, reply, done) => {
    reply.header('access-control-allow-origin', '*')
    reply.header('access-control-expose-headers', exposedHeaders)
    done()
  })
  acceptBatchBodies(api)
  sitesRoute(api, parts)
  statsRoute(api, parts)
  timeseriesRoute(api, parts)
  eventsRoutes(api, parts)
  hitsRoute(api, parts)
  for (const [url, methods] of [...methodsByUrl]) {
    const allowed = [...methods, 'OPTIONS']
    api.options(url, { schema: { hide: true } }, async (_request, reply) => {
      reply.header('access-control-allow-methods', corsMethods)
      reply.header('access-control-allow-headers', corsHeaders)
      reply.header('access-control-max-age', 86_400)
      return reply.code(204).send()
    })
    const others = api.supportedMethods.filter(method => !allowed.includes(method))
    api.route({
      method: others,
      url,
      schema: { hide: true },
      // The body of a request that is refused is not read.
      onRequest: sendMethodNotAllowed(allowed),
      handler: sendMethodNotAllowed(allowed),
    })
  }
}
