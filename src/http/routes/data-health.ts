/** GET /api/v1/sites/{siteId}/health */
import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { HealthReport, healthReport } from '../../reports/health.ts'
import { admit } from '../admission.ts'
import type { HttpParts } from '../http-parts.ts'
import { apiSchema } from '../openapi.ts'
import { sendBody } from '../report-response.ts'

export function dataHealthRoute(app: FastifyInstance, parts: HttpParts): void {
  app.get('/api/v1/sites/:siteId/health', {
    schema: apiSchema({
      operationId: 'getHealth',
      summary: 'Whether data is arriving: what came in by each way, and what became of it',
      ok: HealthReport,
      errors: ['MISSING_SITE_ID', 'SITE_NOT_FOUND'],
    }),
    onRequest: admit(parts, 'read'),
    handler: async (request, reply) => {
      const body = JSON.stringify(await healthReport(parts.stores.events, request.site.number, parts.clock()))
      await sendBody(request, reply, `W/"${hash('sha1', body, 'base64url')}"`, body)
      return reply
    },
  })
}
