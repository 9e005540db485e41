/** GET /api/v1/sites/{siteId}/timeseries */
import type { FastifyInstance } from 'fastify'
import { requireHourlySeries } from '../../accounts/access.ts'
import { TimeseriesReport, timeseriesReport } from '../../reports/timeseries.ts'
import { admit } from '../admission.ts'
import type { HttpParts } from '../http-parts.ts'
import { apiSchema } from '../openapi.ts'
import { type RawQuery, readGranularity, readRange, TimeseriesQuery } from '../query.ts'
import { sendReport } from '../send-report.ts'

export function timeseriesRoute(app: FastifyInstance, parts: HttpParts): void {
  app.get('/api/v1/sites/:siteId/timeseries', {
    schema: apiSchema({
      operationId: 'getTimeseries',
      summary: 'Counts by UTC day or hour, without gaps',
      description:
        'Buckets without events are there, with zeros. Series by hour need a plan that includes them.',
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
    handler: (request, reply) =>
      sendReport(parts, request, reply, () => {
        const query = request.query as RawQuery
        const range = readRange(query, parts.clock())
        const granularity = readGranularity(query)
        if (granularity === 'hour') requireHourlySeries(request.caller, parts.supportEmail)
        return () => timeseriesReport(parts.stores.events, request.site.number, range, granularity)
      }),
  })
}
