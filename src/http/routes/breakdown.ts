/** GET /api/v1/sites/{siteId}/breakdown */
import type { FastifyInstance } from 'fastify'
import { BreakdownReport, breakdownReport } from '../../reports/breakdown.ts'
import { admit } from '../admission.ts'
import { BreakdownQuery, readDimension, readFilter } from '../filter-query.ts'
import type { HttpParts } from '../http-parts.ts'
import { apiSchema } from '../openapi.ts'
import { type RawQuery, readLimit, readRange } from '../query.ts'
import { sendReport } from '../send-report.ts'

export function breakdownRoute(app: FastifyInstance, parts: HttpParts): void {
  app.get('/api/v1/sites/:siteId/breakdown', {
    schema: apiSchema({
      operationId: 'getBreakdown',
      summary: 'Counts by page, country, company, purpose, bot, assistant or conversion, under any filter',
      description:
        'Filters combine. Totals and `row_count` tell of everything that the filters let through, however few rows are listed.',
      querystring: BreakdownQuery,
      ok: BreakdownReport,
      errors: ['MISSING_SITE_ID', 'SITE_NOT_FOUND', 'INVALID_DATE_RANGE', 'INVALID_PARAMETER'],
    }),
    onRequest: admit(parts, 'read'),
    handler: (request, reply) =>
      sendReport(parts, request, reply, () => {
        const query = request.query as RawQuery
        const range = readRange(query, parts.clock())
        const dimension = readDimension(query)
        const filter = readFilter(query)
        const question = { range, dimension, filter, limit: readLimit(query) }
        return () => breakdownReport(parts.stores.events, request.site.number, question)
      }),
  })
}
