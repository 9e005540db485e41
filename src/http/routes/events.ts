/** GET and POST /api/v1/sites/{siteId}/events */
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { SentEvent } from '../../ingest/sent-event.ts'
import { EventListReport, eventListReport } from '../../reports/event-list.ts'
import { admit } from '../admission.ts'
import { countRejections } from '../count-rejections.ts'
import type { HttpParts } from '../http-parts.ts'
import { apiSchema } from '../openapi.ts'
import { EventsQuery, type RawQuery, readListQuery } from '../query.ts'
import { type RecordingRoute, receiveBatch } from '../receive-batch.ts'
import { sendReport } from '../send-report.ts'

const url = '/api/v1/sites/:siteId/events'

export function eventsRoutes(app: FastifyInstance, parts: HttpParts): void {
  app.get(url, {
    schema: apiSchema({
      operationId: 'listEvents',
      summary: 'Single events, newest first, a page at a time',
      description:
        'Ask again with `cursor` set to `next_cursor` until that is null. Events that arrive meanwhile neither hide nor repeat any.',
      querystring: EventsQuery,
      ok: EventListReport,
      errors: ['MISSING_SITE_ID', 'SITE_NOT_FOUND', 'INVALID_DATE_RANGE', 'INVALID_PARAMETER'],
    }),
    onRequest: admit(parts, 'read'),
    handler: (request, reply) =>
      sendReport(parts, request, reply, () => {
        const question = readListQuery(request.query as RawQuery, parts.clock())
        return () => eventListReport(parts.stores.events, request.site.number, question)
      }),
  })

  const recording: RecordingRoute = {
    url,
    kind: 'events',
    status: 201,
  }
  app.post(url, {
    schema: apiSchema({
      operationId: 'recordEvents',
      summary: 'Record events that you have classified yourself: bots, referrals, conversions',
      description:
        'All or nothing: the first event that is wrong is named, and nothing is recorded. An answer means that the events are on disk.',
      body: SentEvent,
      status: recording.status,
      ok: Type.Object({ recorded: Type.Integer() }, { title: 'EventsRecorded' }),
      errors: ['INVALID_EVENT'],
    }),
    onRequest: admit(parts, 'write'),
    onError: countRejections(parts, recording.kind),
    handler: (request, reply) => receiveBatch(parts, request, reply, recording),
  })
}
