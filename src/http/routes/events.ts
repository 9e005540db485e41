/** GET and POST /api/v1/sites/{siteId}/events */
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { SentEvent, SentEventJudge } from '../../ingest/sent-event.ts'
import { EventList, EventListReport } from '../../reports/event-list.ts'
import { admit } from '../admission.ts'
import { countRejections } from '../count-rejections.ts'
import type { HttpParts } from '../http-parts.ts'
import { apiSchema } from '../openapi.ts'
import { EventsQuery, type RawQuery, readCursor, readLimit, readRange, readType } from '../query.ts'
import { type RecordingRoute, receiveBatch } from '../receive-batch.ts'
import { sendReport } from '../report-response.ts'
import type { Ask, ShortRoute } from '../short-way.ts'

const url = '/api/v1/sites/:siteId/events'

/** Gives back how pages are asked for, and how events are recorded. */
export function eventsRoutes(
  app: FastifyInstance,
  parts: HttpParts,
): { report: ShortRoute; recording: RecordingRoute } {
  const list = new EventList(parts.stores.events)
  const take = (length: number): Buffer => parts.answerBytes.take(length)
  const ask: Ask = (query, site, _caller, now) => {
    const range = readRange(query, now)
    const type = readType(query)
    const limit = readLimit(query)
    const question = { range, type, limit, after: readCursor(query) }
    return { build: () => list.page(site.number, question, take), remember: false }
  }
  app.get(url, {
    schema: apiSchema({
      operationId: 'listEvents',
      summary: 'Single events, newest first, a page at a time',
      querystring: EventsQuery,
      ok: EventListReport,
      errors: ['MISSING_SITE_ID', 'SITE_NOT_FOUND', 'INVALID_DATE_RANGE', 'INVALID_PARAMETER'],
    }),
    onRequest: admit(parts, 'read'),
    handler: (request, reply) =>
      sendReport(parts, request, reply, () =>
        ask(request.query as RawQuery, request.site, request.caller, parts.clock()),
      ),
  })

  const recording: RecordingRoute = {
    url,
    source: 'events',
    status: 201,
    judge: (_site, now) => new SentEventJudge(parts.detector, now),
  }
  app.post(url, {
    schema: apiSchema({
      operationId: 'recordEvents',
      summary: 'Record events that you have judged yourself: bots, referrals, conversions',
      body: SentEvent,
      status: recording.status,
      ok: Type.Object({ recorded: Type.Integer() }, { title: 'EventsRecorded' }),
      errors: ['INVALID_EVENT'],
    }),
    onRequest: admit(parts, 'write'),
    onError: countRejections(parts, recording.source),
    handler: (request, reply) => receiveBatch(parts, request, reply, recording),
  })
  return { report: { url, ask }, recording }
}
