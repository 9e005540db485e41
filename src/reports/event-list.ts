/** The event list: a page of single events, newest first, and the cursor of the next page. */
import Type, { type Static } from 'typebox'
import { encodeCursor } from '../domain/cursor.ts'
import { formatTime } from '../domain/date-range.ts'
import type { EventType } from '../domain/event.ts'
import { type Soon, whenKnown } from '../domain/soon.ts'
import type { EventListQuery, EventStore, ListedEvent } from '../storage/event-store.ts'
import { ApiEvent } from './api-event.ts'

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
    let json = ''
    for (const event of page) json += json === '' ? eventJson(event) : `,${eventJson(event)}`
    return `{"events":[${json}],"next_cursor":${cursor}}`
  })
}

/** An event as the API shows it, with exactly the fields of its type. */
function eventJson(event: ListedEvent): string {
  const ofType = event.type === 'conversion' ? `"event_value":${event.value},` : ''
  return `{"id":${event.id},${headOf(event)}${ofType}"page_path":${JSON.stringify(event.path)},"country":"${event.country}","created_at":"${formatTime(event.createdAt)}"}`
}

/** A page names few bots and assistants, again and again: their part of the text is put together once. */
interface Head {
  readonly type: EventType
  readonly company: string
  readonly text: string
}

const headsMax = 10_000
const heads = new Map<string, Head>()

function headOf({ type, name, company }: ListedEvent): string {
  const known = heads.get(name)
  if (known && known.type === type && known.company === company) return known.text
  const fields = {
    bot: `"bot_name":${JSON.stringify(name)},"bot_company":${JSON.stringify(company)}`,
    referral: `"source":${JSON.stringify(name)}`,
    conversion: `"event_name":${JSON.stringify(name)}`,
  }
  const head = { type, company, text: `"type":"${type}",${fields[type]},` }
  if (heads.size >= headsMax) heads.clear()
  heads.set(name, head)
  return head.text
}
