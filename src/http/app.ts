/** The HTTP server, put together: routes, errors, headers. It does not listen yet. */
import compress from '@fastify/compress'
import fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import { AppError } from '../domain/errors.ts'
import { addApiHeaders } from './api-headers.ts'
import { compressFromBytes } from './compression.ts'
import { registerDashboard } from './dashboard/register-dashboard.ts'
import { drainRoutes } from './drains/drain-routes.ts'
import { refuseMalformedRequest, sendError, sendNotFound } from './error-response.ts'
import type { HttpParts } from './http-parts.ts'
import { describeApi, registerReference } from './openapi.ts'
import { knowEveryMethod, refuseOtherMethods, watchRoutes } from './other-methods.ts'
import { acceptBatchBodies, type RecordingRoute } from './receive-batch.ts'
import { logRequests, requestIds } from './request-log.ts'
import { answerInRounds, ResponseRounds } from './response-rounds.ts'
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
import { openShortRecording } from './short-recording.ts'
import { openShortWay, type ShortRoute } from './short-way.ts'

export async function createApp(parts: HttpParts, version: string): Promise<FastifyInstance> {
  const nextId = requestIds()
  const app = fastify({
    loggerInstance: parts.logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: nextId,
    // A child logger a request costs more than the line that it would mark.
    childLoggerFactory: logger => logger,
    trustProxy: [...parts.trustProxy],
    forceCloseConnections: 'idle',
    // Whoever asks once more on an open connection is answered while the server stops, and the connection closed after that.
    return503OnClosing: false,
    frameworkErrors: sendError,
    // Node's own answer has no body and no request id.
    http: { requireHostHeader: false },
    routerOptions: { maxParamLength: 2_000 },
    clientErrorHandler: (error, socket) => refuseMalformedRequest(error, socket, nextId()),
  }) as unknown as FastifyInstance
  knowEveryMethod(app)
  // Only recording reads bodies; a refused request must not fail on one that it never looks at.
  app.removeAllContentTypeParsers()
  app.setErrorHandler(sendError)
  app.setNotFoundHandler(sendNotFound)
  // Queries and bodies are read by the routes, in the order of checks that the API promises.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)
  app.decorateRequest('caller')
  app.decorateRequest('site')
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
  logRequests(app, parts.requestLog)
  await describeApi(app, version)
  const rounds = new ResponseRounds(parts.answerBytes)
  const short: ShortRoutes = { reports: [], recordings: [] }
  await app.register(async api => registerApi(api, parts, rounds, short))
  await app.register(async drains => drainRoutes(drains, parts))
  await app.register(async pages => {
    await pages.register(compress, {
      threshold: compressFromBytes,
      encodings: ['zstd', 'br', 'gzip'],
      globalDecompression: false,
    })
    await registerReference(pages)
    await pages.register(async open => registerOpen(open, parts))
    await pages.register(async dashboard => registerDashboard(dashboard, parts, version))
  })
  openShortWay(app, parts, { routes: short.reports, rounds, nextId })
  openShortRecording(app, parts, { routes: short.recordings, rounds, nextId })
  return app
}

const lacksHost = ({ raw, headers }: FastifyRequest): boolean =>
  headers.host === undefined && raw.httpVersion !== '1.0'

/** What anybody may ask, without a key. */
function registerOpen(open: FastifyInstance, parts: HttpParts): void {
  const methodsByUrl = watchRoutes(open)
  healthRoutes(open, parts)
  snippetRoutes(open, parts)
  open.get('/openapi.json', { schema: { hide: true }, handler: async () => open.swagger() })
  for (const [url, methods] of [...methodsByUrl]) refuseOtherMethods(open, url, [...methods])
}

const corsMethods = 'GET, POST, OPTIONS'
const corsHeaders = 'Authorization, Content-Type, Idempotency-Key, If-None-Match'

interface ShortRoutes {
  readonly reports: ShortRoute[]
  readonly recordings: RecordingRoute[]
}

/** Everything under /api/v1; adds to `short` what may also go past the framework. */
function registerApi(
  api: FastifyInstance,
  parts: HttpParts,
  rounds: ResponseRounds,
  short: ShortRoutes,
): void {
  const methodsByUrl = watchRoutes(api)
  addApiHeaders(api)
  answerInRounds(api, rounds)
  acceptBatchBodies(api)
  sitesRoute(api, parts)
  short.reports.push(statsRoute(api, parts), timeseriesRoute(api, parts))
  breakdownRoute(api, parts)
  dataHealthRoute(api, parts)
  attributionRoute(api, parts)
  const { report, recording } = eventsRoutes(api, parts)
  short.reports.push(report)
  short.recordings.push(recording, hitsRoute(api, parts))
  for (const [url, methods] of [...methodsByUrl]) {
    const allowed = [...methods, 'OPTIONS']
    api.options(url, { schema: { hide: true } }, async (_request, reply) => {
      reply.header('access-control-allow-methods', corsMethods)
      reply.header('access-control-allow-headers', corsHeaders)
      reply.header('access-control-max-age', 86_400)
      return reply.code(204).send()
    })
    refuseOtherMethods(api, url, allowed)
  }
}
