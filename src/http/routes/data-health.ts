/** GET /api/v1/sites/{siteId}/health */
import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { HealthReport, healthReport } from '../../reports/health.ts'
import { admit } from '../admission.ts'
import type { HttpParts } from '../http-parts.ts'
import { apiSchema } from '../openapi.ts'
import { sendJson } from '../send-report.ts'

export function dataHealthRoute(app: FastifyInstance, parts: HttpParts): void {
  app.get('/api/v1/sites/:siteId/health', {
    schema: apiSchema({
      operationId: 'getHealth',
      summary: 'Whether data is arriving: what each source delivered, and what became of it',
      description:
        'Tells of each source when it last delivered, and how much of that was recorded, ignored, known before or refused.',
      ok: HealthReport,
      errors: ['MISSING_SITE_ID', 'SITE_NOT_FOUND'],
    }),
    onRequest: admit(parts, 'read'),
    handler: async (request, reply) => {
      const body = JSON.stringify(await healthReport(parts.stores.events, request.site.number, parts.clock()))
      return sendJson(request, reply, `W/"${hash('sha1', body, 'base64url')}"`, body)
    },
  })
}
