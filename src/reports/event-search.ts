/** Finds pages of single events under any filter, newest first, for the dashboard. */
import type { DateRange } from '../domain/date-range.ts'
import type { EventPosition } from '../domain/event.ts'
import type { EventStore, ListedEvent } from '../storage/event-store.ts'
import { createTraits, isUnfiltered, passesByName, type ReportFilter } from './known-names.ts'

export interface EventSearch {
  readonly range: DateRange
  readonly filter: ReportFilter
  readonly after: EventPosition | null
  readonly limit: number
}

const pageSize = 500
/** The most events that one answer reads. The next answer continues from there. */
const scannedMax = 20_000

export async function searchEvents(
  events: EventStore,
  site: number,
  { range, filter, after, limit }: EventSearch,
): Promise<{ events: ListedEvent[]; next: EventPosition | null }> {
  const traitsOf = createTraits()
  const passes = (event: ListedEvent): boolean =>
    (filter.page === null || filter.page === event.path) &&
    (filter.country === null || filter.country === event.country) &&
    passesByName(filter, traitsOf, event)
  const size = isUnfiltered({ ...filter, type: null }) ? limit + 1 : pageSize
  const found: ListedEvent[] = []
  let position = after
  for (let scanned = 0; scanned < scannedMax; scanned += size) {
    const page = await events.list(site, { range, type: filter.type, after: position, limit: size })
    for (const event of page) {
      if (!passes(event)) continue
      if (found.length === limit) return { events: found, next: positionOf(found.at(-1)!) }
      found.push(event)
    }
    if (page.length < size) return { events: found, next: null }
    position = positionOf(page.at(-1)!)
    // Other requests run between two pages.
    await new Promise(resolve => setImmediate(resolve))
  }
  return { events: found, next: position }
}

const positionOf = ({ createdAt, id }: EventPosition): EventPosition => ({ createdAt, id })
