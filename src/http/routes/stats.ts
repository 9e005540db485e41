/** GET /api/v1/sites/{siteId}/stats */
import type { FastifyInstance } from 'fastify'
import { StatsReport, statsReport } from '../../reports/stats.ts'
import { admit } from '../admission.ts'
import type { HttpParts } from '../http-parts.ts'
import { apiSchema } from '../openapi.ts'
import { RangeQuery, type RawQuery, readRange } from '../query.ts'
import { sendReport } from '../send-report.ts'

export function statsRoute(app: FastifyInstance, parts: HttpParts): void {
  app.get('/api/v1/sites/:siteId/stats', {
    schema: apiSchema({
      operationId: 'getStats',
      summary: 'Totals and breakdowns of a site over a range of days',
      description: 'Each breakdown has one row a name, by count, descending, then by name.',
      querystring: RangeQuery,
      ok: StatsReport,
      errors: ['MISSING_SITE_ID', 'SITE_NOT_FOUND', 'INVALID_DATE_RANGE'],
    }),
    onRequest: admit(parts, 'read'),
    handler: (request, reply) =>
      sendReport(parts, request, reply, () => {
        const range = readRange(request.query as RawQuery, parts.clock())
        return () => statsReport(parts.stores.events, request.site.number, range)
      }),
  })
}
