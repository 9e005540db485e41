/** Returns the numbers of a site: everything that its page shows, single events, and the reason for an event. */
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { catalogue } from '../../detection/catalogue/catalogue.ts'
import { decodePosition, encodePosition } from '../../domain/cursor.ts'
import { type DateRange, hourMs } from '../../domain/date-range.ts'
import { AppError } from '../../domain/errors.ts'
import type { EventPosition, StoredEvent } from '../../domain/event.ts'
import { AttributionReport, attributionReport } from '../../reports/attribution.ts'
import { searchEvents } from '../../reports/event-search.ts'
import { HealthReport, healthReport } from '../../reports/health.ts'
import { OverviewReport, overviewDaysMax, overviewReport } from '../../reports/overview.ts'
import type { ListedEvent } from '../../storage/event-store.ts'
import { FilterQuery, readFilter } from '../filter-query.ts'
import {
  AttributionQuery,
  EventsQuery,
  invalid,
  type RawQuery,
  readGranularity,
  readLimit,
  readRange,
  TimeseriesQuery,
} from '../query.ts'
import { sendReport } from '../send-report.ts'
import { DashboardError } from './dashboard-error.ts'
import type { DashboardParts } from './dashboard-parts.ts'
import { dashboardSchema } from './describe-routes.ts'
import { requireSession } from './session-admission.ts'
import { EventPageView, type EventView, ExplanationView } from './views.ts'

const OverviewQuery = Type.Object({
  ...TimeseriesQuery.properties,
  ...FilterQuery.properties,
  range: Type.Optional(Type.Literal('all', { description: 'All days with events, whatever start and end.' })),
})
const EventSearchQuery = Type.Object({ ...EventsQuery.properties, ...FilterQuery.properties })

export function reportRoutes(app: FastifyInstance, parts: DashboardParts): void {
  const onRequest = requireSession(parts)
  const { events } = parts.stores

  const overview = dashboardSchema({
    operationId: 'getOverview',
    ok: OverviewReport,
    querystring: OverviewQuery,
  })
  app.get('/app/api/sites/:siteId/overview', { schema: overview, onRequest }, (request, reply) => {
    const now = parts.clock()
    const ask = () => {
      const query = request.query as RawQuery
      const range = query.range === 'all' ? null : requireShort(readRange(query, now))
      const wanted = readGranularity(query)
      const granularity = parts.plans[request.person.plan].hourlySeries ? wanted : 'day'
      const question = { range, granularity, filter: readFilter(query), now }
      return () => overviewReport(events, request.site.number, question)
    }
    // The hour decides which buckets are unfinished.
    return sendReport(parts, request, reply, ask, hourMs)
  })

  const attribution = dashboardSchema({
    operationId: 'getAttribution',
    ok: AttributionReport,
    querystring: AttributionQuery,
  })
  app.get('/app/api/sites/:siteId/attribution', { schema: attribution, onRequest }, (request, reply) =>
    sendReport(parts, request, reply, () => {
      const query = request.query as RawQuery
      const question = { range: readRange(query, parts.clock()), limit: readLimit(query) }
      return () => attributionReport(events, request.site.number, question)
    }),
  )

  const list = dashboardSchema({
    operationId: 'listEvents',
    ok: EventPageView,
    querystring: EventSearchQuery,
  })
  app.get(
    '/app/api/sites/:siteId/events',
    { schema: list, onRequest },
    async (request): Promise<EventPageView> => {
      const query = request.query as RawQuery
      const found = await searchEvents(events, request.site.number, {
        range: readRange(query, parts.clock()),
        filter: readFilter(query),
        after: readPosition(query),
        limit: Math.min(200, readLimit(query)),
      })
      return { events: found.events.map(eventView), next: found.next && encodePosition(found.next) }
    },
  )

  app.get(
    '/app/api/sites/:siteId/events/:position',
    { schema: dashboardSchema({ operationId: 'explainEvent', ok: ExplanationView }), onRequest },
    async (request): Promise<ExplanationView> => {
      const position = decodePosition((request.params as { position: string }).position)
      const event = position && (await events.find(request.site.number, position))
      if (!event) throw new DashboardError('REFUSED', 'There is no such event any more.')
      return explain(parts, event)
    },
  )

  app.get(
    '/app/api/sites/:siteId/health',
    { schema: dashboardSchema({ operationId: 'getHealth', ok: HealthReport }), onRequest },
    (request): Promise<HealthReport> => healthReport(events, request.site.number, parts.clock()),
  )
}

/** Where a page goes on. Throws INVALID_PARAMETER. */
function readPosition({ cursor }: RawQuery): EventPosition | null {
  if (cursor === undefined) return null
  const position = typeof cursor === 'string' ? decodePosition(cursor) : null
  if (!position) throw invalid('cursor', cursor, 'the `next` of an earlier answer, given once')
  return position
}

/** Throws INVALID_DATE_RANGE. */
function requireShort(range: DateRange): DateRange {
  if (range.end - range.start < overviewDaysMax) return range
  throw new AppError('INVALID_DATE_RANGE', `The dashboard shows at most ${overviewDaysMax} days at once.`)
}

export const eventView = ({
  type,
  name,
  company,
  path,
  country,
  value,
  createdAt,
  id,
}: ListedEvent): EventView => ({
  ...{
    id,
    position: encodePosition({ createdAt, id }),
    type,
    name,
    company,
    path,
    country,
    at: createdAt,
    value,
  },
})

function explain({ detector }: DashboardParts, event: StoredEvent): ExplanationView {
  const { provenance } = event
  const verdict = provenance.userAgent === null ? null : detector.classifyUserAgent(provenance.userAgent)
  return {
    event: eventView(event),
    ...provenance,
    status: event.status,
    bytes: event.bytes,
    durationMs: event.durationMs,
    seenBy: [...event.seenBy],
    entry: entryOf(event),
    today: verdict && {
      catalogueVersion: detector.catalogueVersion,
      bot: verdict.kind === 'bot' ? verdict.name : null,
    },
  }
}

function entryOf({ type, name }: StoredEvent): ExplanationView['entry'] {
  if (type === 'conversion') return null
  if (type === 'bot') {
    const bot = catalogue.bots.find(entry => entry.name === name)
    return (
      (bot && {
        purpose: bot.purpose,
        confidence: bot.confidence,
        docs: bot.docs,
        notes: bot.notes ?? null,
      }) ??
      null
    )
  }
  const source = catalogue.sources.find(entry => entry.source === name)
  return source ? { purpose: null, confidence: source.confidence, docs: null, notes: source.notes } : null
}
