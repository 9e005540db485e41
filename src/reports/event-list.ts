/** The event list: a page of single events, newest first, and the cursor of the next page. */
import Type, { type Static } from 'typebox'
import { encodeCursor } from '../domain/cursor.ts'
import { ApiEvent } from '../domain/event.ts'
import { type Soon, whenKnown } from '../domain/soon.ts'
import type { EventListQuery, EventStore, ListedEvent } from '../storage/event-store.ts'

export const EventListReport = Type.Object(
  {
    events: Type.Array(ApiEvent, {
      description: 'Newest first: by created_at, then by id, both descending.',
    }),
    next_cursor: Type.Union([Type.String(), Type.Null()], {
      description: 'Send it as `cursor` for the next page, with the same filters; null when nothing follows.',
    }),
  },
  { title: 'EventList' },
)
export type EventListReport = Static<typeof EventListReport>

/** The page (EventListReport) as JSON. */
export function eventListJson(events: EventStore, site: number, query: EventListQuery): Soon<string> {
  // One more than asked for tells whether anything follows.
  return whenKnown(events.list(site, { ...query, limit: query.limit + 1 }), found => {
    const page = found.length > query.limit ? found.slice(0, query.limit) : found
    const last = page.at(-1)
    const cursor = last && found.length > page.length ? `"${encodeCursor(last)}"` : 'null'
    return `{"events":[${page.map(eventJson).join()}],"next_cursor":${cursor}}`
  })
}

const text = JSON.stringify

/** An event as the API shows it, with exactly the fields of its type. */
function eventJson(event: ListedEvent): string {
  const common = `"page_path":${text(event.path)},"country":${text(event.country)},"created_at":"${new Date(event.createdAt).toISOString()}"}`
  const head = `{"id":${event.id},"type":"${event.type}",`
  switch (event.type) {
    case 'bot':
      return `${head}"bot_name":${text(event.name)},"bot_company":${text(event.company)},${common}`
    case 'referral':
      return `${head}"source":${text(event.name)},${common}`
    case 'conversion':
      return `${head}"event_name":${text(event.name)},"event_value":${event.value},${common}`
  }
}
