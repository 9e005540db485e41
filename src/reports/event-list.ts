/** The event list report: a page of single events, newest first, and the cursor of the next page. */
import Type, { type Static } from 'typebox'
import { encodeCursor } from '../domain/cursor.ts'
import type { EventListQuery, EventStore, ListedEvent } from '../storage/event-store.ts'
import { ApiEvent } from './api-event.ts'

export const EventListReport = Type.Object(
  {
    events: Type.Array(ApiEvent, {
      description: 'Newest first: by created_at, then by id, both descending.',
    }),
    next_cursor: Type.Union([Type.String(), Type.Null()], {
      description:
        'Send it as `cursor` for the next page, which has the same filters. Null when nothing follows.',
    }),
  },
  { title: 'EventList' },
)
export type EventListReport = Static<typeof EventListReport>

export async function eventListReport(
  events: EventStore,
  site: number,
  query: EventListQuery,
): Promise<EventListReport> {
  const { range, type, limit } = query
  // Reading one more event shows whether there is a next page.
  const found = await events.list(site, { ...query, limit: limit + 1 })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const next = found.length > limit && last ? { createdAt: last.createdAt, id: last.id } : null
  return {
    events: page.map(apiEvent),
    next_cursor: next && encodeCursor({ position: next, range, type }),
  }
}

function apiEvent({ id, type, name, company, path, country, createdAt, value }: ListedEvent): ApiEvent {
  const common = { page_path: path, country, created_at: new Date(createdAt).toISOString() }
  switch (type) {
    case 'bot':
      return { id, type, bot_name: name, bot_company: company, ...common }
    case 'referral':
      return { id, type, source: name, ...common }
    case 'conversion':
      return { id, type, event_name: name, event_value: value, ...common }
  }
}
