/** GET /api/v1/sites/{siteId}/attribution */
import type { FastifyInstance } from 'fastify'
import { AttributionReport, attributionReport } from '../../reports/attribution.ts'
import { admit } from '../admission.ts'
import type { HttpParts } from '../http-parts.ts'
import { apiSchema } from '../openapi.ts'
import { AttributionQuery, type RawQuery, readLimit, readRange } from '../query.ts'
import { sendReport } from '../send-report.ts'

export function attributionRoute(app: FastifyInstance, parts: HttpParts): void {
  app.get('/api/v1/sites/:siteId/attribution', {
    schema: apiSchema({
      operationId: 'getAttribution',
      summary: 'Conversions and their value by the assistant that brought the visitor, and by landing page',
      description:
        'A conversion counts for the last assistant of its session. Conversions that no assistant is known to have brought are in the totals only.',
      querystring: AttributionQuery,
      ok: AttributionReport,
      errors: ['MISSING_SITE_ID', 'SITE_NOT_FOUND', 'INVALID_DATE_RANGE', 'INVALID_PARAMETER'],
    }),
    onRequest: admit(parts, 'read'),
    handler: (request, reply) =>
      sendReport(parts, request, reply, () => {
        const query = request.query as RawQuery
        const question = { range: readRange(query, parts.clock()), limit: readLimit(query) }
        return () => attributionReport(parts.stores.events, request.site.number, question)
      }),
  })
}
