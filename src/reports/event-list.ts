/** The event list: a page of single events, newest first, and the cursor of the next page. */
import Type, { type Static } from 'typebox'
import type { Soon } from '../domain/soon.ts'
import type { EventListQuery, EventStore } from '../storage/event-store.ts'
import { ApiEvent } from './api-event.ts'
import { EventPageJson } from './event-page-json.ts'

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

/** Answers with pages (EventListReport) as JSON. One for each store, since it remembers texts by the numbers of the store. */
export class EventList {
  readonly #events: EventStore
  #json: EventPageJson | null = null

  constructor(events: EventStore) {
    this.#events = events
  }

  /** In memory from `take`, which may have anything in it. */
  page(site: number, query: EventListQuery, take: (length: number) => Buffer): Soon<Buffer> {
    this.#json ??= new EventPageJson()
    const json = this.#json
    // One more than asked for tells whether anything follows.
    return this.#events.withPage(site, { ...query, limit: query.limit + 1 }, page =>
      json.spell(page, query.limit, take),
    )
  }
}
