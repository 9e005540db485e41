/** What the answers about a list of events must be, reckoned by plain filters: the oracle of the contract. */
import assert from 'node:assert/strict'
import { type DateRange, dayMs, dayOf, hourMs } from '../../src/domain/date-range.ts'
import { type EventPosition, type EventType, eventTypes, type NewEvent } from '../../src/domain/event.ts'
import type {
  AttributedCount,
  CountsByName,
  EventListQuery,
  EventStore,
  NameCount,
} from '../../src/storage/event-store.ts'
import { allCounts, type Granularity } from '../../src/storage/series.ts'
import { everyDay, listAll } from './sample-events.ts'

type CountedEvent = Pick<NewEvent, 'type' | 'name' | 'company' | 'createdAt' | 'value'>

const isIn = (range: DateRange, { createdAt }: { createdAt: number }): boolean =>
  dayOf(createdAt) >= range.start && dayOf(createdAt) <= range.end

/** Values are taken as whole cents, so that their sum is exact. */
export function expectedCounts(events: readonly CountedEvent[], range: DateRange): CountsByName {
  const counts: Record<EventType, NameCount[]> = { bot: [], referral: [], conversion: [] }
  const inRange = events.filter(event => isIn(range, event))
  for (const type of eventTypes) {
    const ofType = inRange.filter(event => event.type === type)
    for (const name of new Set(ofType.map(event => event.name))) {
      const ofName = ofType.filter(event => event.name === name)
      const cents = ofName.reduce((sum, { value }) => sum + Math.round((value ?? 0) * 100), 0)
      counts[type].push({ name, company: ofName[0]!.company, count: ofName.length, value: cents / 100 })
    }
    // By count, then by name in the order of code units.
    counts[type].sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
  }
  return counts
}

export function expectedSeries(
  events: readonly CountedEvent[],
  range: DateRange,
  granularity: Granularity,
): number[] {
  const bucketMs = granularity === 'day' ? dayMs : hourMs
  const from = range.start * dayMs
  const counts = new Array<number>((((range.end - range.start + 1) * dayMs) / bucketMs) * 3).fill(0)
  for (const event of events.filter(each => isIn(range, each))) {
    counts[Math.floor((event.createdAt - from) / bucketMs) * 3 + eventTypes.indexOf(event.type)]!++
  }
  return counts
}

/** In the order of `attributionOrder`. Values are taken as whole cents, so that their sum is exact. */
export function expectedAttribution(events: readonly NewEvent[], range: DateRange): AttributedCount[] {
  const conversions = events.filter(event => event.type === 'conversion' && isIn(range, event))
  const groups = Map.groupBy(conversions, ({ name, provenance: { source, landing } }) =>
    JSON.stringify([source, landing, name]),
  )
  return [...groups.values()]
    .map(group => {
      const { name, provenance } = group[0]!
      const cents = group.reduce((sum, { value }) => sum + Math.round((value ?? 0) * 100), 0)
      const whole = Math.floor(cents / 100)
      return {
        source: provenance.source,
        landing: provenance.landing,
        name,
        count: group.length,
        value: { whole, billionths: (cents - whole * 100) * 10_000_000 },
      }
    })
    .sort(attributionOrder)
}

/** Any order, the same for both sides of a comparison. */
export function attributionOrder(a: AttributedCount, b: AttributedCount): number {
  const text = ({ source, landing, name }: AttributedCount): string => JSON.stringify([source, landing, name])
  return text(a) < text(b) ? -1 : 1
}

/** Newest first: time descending, then id descending. */
export const listOrder = (a: EventPosition, b: EventPosition): number =>
  b.createdAt - a.createdAt || b.id - a.id

export function expectedPage<Event extends EventPosition & { readonly type: EventType }>(
  events: readonly Event[],
  { range, type, after, limit }: EventListQuery,
): Event[] {
  return events
    .filter(event => isIn(range, event) && (type === null || event.type === type))
    .filter(event => after === null || listOrder(after, event) < 0)
    .sort(listOrder)
    .slice(0, limit)
}

/** All counts of a series. */
export async function seriesOf(
  store: EventStore,
  site: number,
  range: DateRange,
  granularity: Granularity,
): Promise<Float64Array> {
  return allCounts(await store.series(site, range, granularity), range, granularity)
}

/** Holds that counts and series of a site equal its list to the unit, before and after the list is read; returns the number of events. */
export async function assertRollUpsEqualList(store: EventStore, site: number): Promise<number> {
  const before = await store.countsByName(site, everyDay)
  const events = await listAll(store, site)
  const ids = new Set(events.map(event => event.id))
  assert.equal(ids.size, events.length, 'an event is listed twice')
  const expected = expectedCounts(events, everyDay)
  assert.deepEqual(before, expected)
  assert.deepEqual(await store.countsByName(site, everyDay), expected)
  if (events.length === 0) return 0
  const range = { start: dayOf(events.at(-1)!.createdAt), end: dayOf(events[0]!.createdAt) }
  for (const granularity of ['day', 'hour'] as const) {
    const series = await seriesOf(store, site, range, granularity)
    assert.deepEqual([...series], expectedSeries(events, range, granularity))
  }
  return events.length
}
