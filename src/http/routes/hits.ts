/** POST /api/v1/sites/{siteId}/hits */
import type { FastifyInstance } from 'fastify'
import { HitsReport, SentHit } from '../../ingest/sent-hit.ts'
import { admit } from '../admission.ts'
import { countRejections } from '../count-rejections.ts'
import type { HttpParts } from '../http-parts.ts'
import { apiSchema } from '../openapi.ts'
import { type RecordingRoute, receiveBatch } from '../receive-batch.ts'

export function hitsRoute(app: FastifyInstance, parts: HttpParts): void {
  const route: RecordingRoute = {
    url: '/api/v1/sites/:siteId/hits',
    kind: 'hits',
    status: 200,
  }
  app.post(route.url, {
    schema: apiSchema({
      operationId: 'recordHits',
      summary: 'Record raw requests; the server tells AI visits from the rest',
      description:
        'Send every request of the site as it came. The answer counts each one once: as recorded, or under the reason to ignore it.',
      body: SentHit,
      ok: HitsReport,
      errors: ['INVALID_EVENT'],
    }),
    onRequest: admit(parts, 'write'),
    onError: countRejections(parts, route.kind),
    handler: (request, reply) => receiveBatch(parts, request, reply, route),
  })
}
