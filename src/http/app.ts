/** Builds the HTTP server from its routes, errors and headers. It does not listen yet. */
import compress from '@fastify/compress'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { AppError } from '../domain/errors.ts'
import { addApiHeaders, allowAnyOrigin } from './api-headers.ts'
import { compressFromBytes } from './compression.ts'
import { registerDashboard } from './dashboard/register-dashboard.ts'
import { drainRoutes } from './drains/drain-routes.ts'
import { refuseMalformedRequest, sendError, sendNotFound } from './error-response.ts'
import type { HttpParts } from './http-parts.ts'
import { describeApi, registerReference } from './openapi.ts'
import { knowEveryMethod, refuseOtherMethods, watchRoutes } from './other-methods.ts'
import { acceptBatchBodies } from './receive-batch.ts'
import { logRequests, requestIds } from './request-log.ts'
import { attributionRoute } from './routes/attribution.ts'
import { breakdownRoute } from './routes/breakdown.ts'
import { dataHealthRoute } from './routes/data-health.ts'
import { eventsRoutes } from './routes/events.ts'
import { healthRoutes } from './routes/health.ts'
import { hitsRoute } from './routes/hits.ts'
import { sitesRoute } from './routes/sites.ts'
import { snippetRoutes } from './routes/snippet.ts'
import { statsRoute } from './routes/stats.ts'
import { timeseriesRoute } from './routes/timeseries.ts'

export async function createApp(parts: HttpParts, version: string): Promise<FastifyInstance> {
  const nextId = requestIds()
  const onError = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    sendError(error, request, reply, parts.supportEmail)
  const app = fastify({
    loggerInstance: parts.logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: nextId,
    // A child logger a request costs more than the line that it would mark.
    childLoggerFactory: logger => logger,
    trustProxy: [...parts.trustProxy],
    forceCloseConnections: 'idle',
    // While the server stops, a further request on an open connection is still answered. Then the connection closes.
    return503OnClosing: false,
    frameworkErrors: onError,
    // Node's own answer has no body and no request id.
    http: { requireHostHeader: false },
    routerOptions: { maxParamLength: 2_000 },
    clientErrorHandler: (error, socket) => refuseMalformedRequest(error, socket, nextId()),
  }) as unknown as FastifyInstance
  knowEveryMethod(app)
  // Only recording reads bodies; a refused request must not fail on one that it never looks at.
  app.removeAllContentTypeParsers()
  app.setErrorHandler(onError)
  app.setNotFoundHandler(sendNotFound)
  // Queries and bodies are read by the routes, in the order of checks that the API promises.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)
  app.decorateRequest('caller')
  app.decorateRequest('site')
  app.decorateRequest('revision')
  app.addHook('onRequest', (request, _reply, done) => {
    done(lacksHost(request) ? new AppError('INVALID_PARAMETER', 'The Host header is missing.') : undefined)
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    done()
  })
  // Unknown expectations may be ignored (RFC 9110, 10.1.1); Node's own answer has no request id.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  logRequests(app)
  await describeApi(app, version, parts.supportEmail)
  await app.register(async api => registerApi(api, parts))
  await app.register(async drains => drainRoutes(drains, parts))
  await app.register(async pages => {
    await pages.register(compress, {
      threshold: compressFromBytes,
      encodings: ['br', 'zstd', 'gzip'],
      globalDecompression: false,
    })
    await registerReference(pages)
    await pages.register(async open => registerOpen(open, parts))
    await pages.register(async dashboard => registerDashboard(dashboard, parts, version))
  })
  return app
}

const lacksHost = ({ raw, headers }: FastifyRequest): boolean =>
  headers.host === undefined && raw.httpVersion !== '1.0'

/** What anybody may ask, without a key. */
function registerOpen(open: FastifyInstance, parts: HttpParts): void {
  const methodsByUrl = watchRoutes(open)
  healthRoutes(open, parts)
  snippetRoutes(open, parts)
  open.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    allowAnyOrigin(reply)
    return open.swagger()
  })
  for (const [url, methods] of [...methodsByUrl]) refuseOtherMethods(open, url, [...methods])
}

/** Everything under /api/v1. */
function registerApi(api: FastifyInstance, parts: HttpParts): void {
  const methodsByUrl = watchRoutes(api)
  addApiHeaders(api)
  acceptBatchBodies(api)
  sitesRoute(api, parts)
  statsRoute(api, parts)
  timeseriesRoute(api, parts)
  breakdownRoute(api, parts)
  dataHealthRoute(api, parts)
  attributionRoute(api, parts)
  eventsRoutes(api, parts)
  hitsRoute(api, parts)
  for (const [url, methods] of [...methodsByUrl]) {
    const allowed = [...methods, 'OPTIONS']
    api.options(url, { schema: { hide: true } }, answerPreflight)
    refuseOtherMethods(api, url, allowed)
  }
  // A browser asks before it learns that its path is wrong.
  for (const url of ['/api/v1', '/api/v1/*']) api.options(url, { schema: { hide: true } }, answerPreflight)
}

const answerPreflight = async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
  reply.header('access-control-allow-methods', 'GET, POST, OPTIONS')
  // The asterisk stands for every header but Authorization, which must be named.
  reply.header('access-control-allow-headers', 'Authorization, *')
  reply.header('access-control-max-age', '86400')
  return reply.code(204).send()
}
