/** GET /api/v1/sites/{siteId}/timeseries */
import type { FastifyInstance } from 'fastify'
import { requireHourlySeries } from '../../accounts/access.ts'
import { isOnePiece, TimeseriesReport, timeseriesJson } from '../../reports/timeseries.ts'
import { admit } from '../admission.ts'
import type { HttpParts } from '../http-parts.ts'
import { apiSchema } from '../openapi.ts'
import { type RawQuery, readGranularity, readRange, TimeseriesQuery } from '../query.ts'
import { sendReport } from '../report-response.ts'

export function timeseriesRoute(app: FastifyInstance, parts: HttpParts): void {
  app.get('/api/v1/sites/:siteId/timeseries', {
    schema: apiSchema({
      operationId: 'getTimeseries',
      summary: 'Counts by UTC day or hour, without gaps',
      querystring: TimeseriesQuery,
      ok: TimeseriesReport,
      errors: [
        'MISSING_SITE_ID',
        'SITE_NOT_FOUND',
        'INVALID_DATE_RANGE',
        'INVALID_PARAMETER',
        'PLAN_REQUIRED',
      ],
    }),
    onRequest: admit(parts, 'read'),
    handler: (request, reply) => {
      const query = request.query as RawQuery
      const range = readRange(query, parts.clock())
      const granularity = readGranularity(query)
      if (granularity === 'hour') requireHourlySeries(request.caller, parts.supportEmail)
      const pieces = timeseriesJson(parts.stores.events, request.site.number, range, granularity)
      const onePiece = isOnePiece(range, granularity)
      return sendReport(parts, request, reply, {
        text: `timeseries ${granularity} ${range.start} ${range.end}`,
        build: () => (onePiece ? pieces.next().then(({ value }) => value as string) : pieces),
        remember: onePiece,
      })
    },
  })
}
