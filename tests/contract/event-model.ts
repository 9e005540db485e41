/** What the answers about a list of events must be, reckoned by plain filters: the oracle of the contract. */
import assert from 'node:assert/strict'
import { type DateRange, dayMs, dayOf, hourMs } from '../../src/domain/date-range.ts'
import { type EventPosition, type EventType, eventTypes, type NewEvent } from '../../src/domain/event.ts'
import {
  type AttributedCount,
  type BreakdownQuery,
  type BreakdownRow,
  type CountsByName,
  type Dimension,
  type EventFilter,
  type EventListQuery,
  type EventStore,
  type Granularity,
  type NameCount,
  type SeriesPoint,
  type TypeCounts,
  unfiltered,
} from '../../src/storage/event-store.ts'
import { everyDay, listAll } from './sample-events.ts'

type CountedEvent = Pick<NewEvent, 'type' | 'name' | 'company' | 'path' | 'country' | 'createdAt' | 'value'>

export const dimensions: readonly Dimension[] = ['name', 'page', 'country', 'day']

const isIn = (range: DateRange, { createdAt }: { createdAt: number }): boolean =>
  dayOf(createdAt) >= range.start && dayOf(createdAt) <= range.end

/** Values are taken as whole cents, so that their sum is exact. */
const centsOf = (events: readonly CountedEvent[]): number =>
  events.reduce((sum, { value }) => sum + Math.round((value ?? 0) * 100), 0)

const typeCountsOf = (events: readonly CountedEvent[]): TypeCounts => {
  const count = (type: EventType): number => events.filter(event => event.type === type).length
  return { bot: count('bot'), referral: count('referral'), conversion: count('conversion') }
}

export function expectedCounts(events: readonly CountedEvent[], range: DateRange): CountsByName {
  const counts: Record<EventType, NameCount[]> = { bot: [], referral: [], conversion: [] }
  const inRange = events.filter(event => isIn(range, event))
  for (const type of eventTypes) {
    const byName = Map.groupBy(
      inRange.filter(event => event.type === type),
      event => event.name,
    )
    for (const [name, ofName] of byName)
      counts[type].push({
        name,
        company: ofName[0]!.company,
        count: ofName.length,
        value: centsOf(ofName) / 100,
      })
    // By count, then by name in the order of code units.
    counts[type].sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
  }
  return counts
}

export function expectedSeries(
  events: readonly CountedEvent[],
  range: DateRange,
  granularity: Granularity,
): SeriesPoint[] {
  const bucketMs = granularity === 'day' ? dayMs : hourMs
  const buckets = Map.groupBy(
    events.filter(event => isIn(range, event)),
    ({ createdAt }) => Math.floor(createdAt / bucketMs),
  )
  return [...buckets]
    .map(([bucket, ofBucket]) => ({ bucket, ...typeCountsOf(ofBucket) }))
    .sort((a, b) => a.bucket - b.bucket)
}

/** In the order of `attributionOrder`. */
export function expectedAttribution(
  events: readonly Omit<NewEvent, 'judgement'>[],
  range: DateRange,
): AttributedCount[] {
  const conversions = events.filter(event => event.type === 'conversion' && isIn(range, event))
  const groups = Map.groupBy(conversions, ({ name, provenance: { assistant, landing } }) =>
    JSON.stringify([assistant, assistant === null ? null : landing, name]),
  )
  return [...groups]
    .map(([key, group]) => {
      const [assistant, landing, name] = JSON.parse(key) as [string | null, string | null, string]
      const cents = centsOf(group)
      const whole = Math.floor(cents / 100)
      const value = { whole, billionths: (cents - whole * 100) * 10_000_000 }
      return { assistant, landing, name, count: group.length, value }
    })
    .sort(attributionOrder)
}

/** Any order, the same for both sides of a comparison. */
export function attributionOrder(a: AttributedCount, b: AttributedCount): number {
  const text = ({ assistant, landing, name }: AttributedCount): string =>
    JSON.stringify([assistant, landing, name])
  return text(a) < text(b) ? -1 : 1
}

const matches = (event: CountedEvent, { names, path, country }: EventFilter): boolean =>
  (names === null || names.some(({ type, name }) => type === event.type && name === event.name)) &&
  (path === null || path === event.path) &&
  (country === null || country === event.country)

const groupOf: Record<Dimension, (event: CountedEvent) => Partial<BreakdownRow>> = {
  name: ({ type, name, company }) => ({ subject: { type, name, company } }),
  page: ({ path }) => ({ page: path }),
  country: ({ country }) => ({ country }),
  day: ({ createdAt }) => ({ day: dayOf(createdAt) }),
}

const groupKey = ({ subject, page, country, day }: Partial<BreakdownRow>): string =>
  JSON.stringify([subject?.type, subject?.name, page, country, day])

const weightOf = (row: TypeCounts, orderBy: EventType | null): number =>
  orderBy === null ? row.bot + row.referral + row.conversion : row[orderBy]

/** All rows, the largest first; the limit of the query is not looked at. */
export function expectedBreakdown(
  events: readonly CountedEvent[],
  query: Omit<BreakdownQuery, 'limit'>,
): BreakdownRow[] {
  const kept = events.filter(event => isIn(query.range, event) && matches(event, query.filter))
  const groups = Map.groupBy(kept, event =>
    groupKey(Object.assign({}, ...query.dimensions.map(dimension => groupOf[dimension](event)))),
  )
  return [...groups.values()]
    .map(group => ({
      ...Object.assign({}, ...query.dimensions.map(dimension => groupOf[dimension](group[0]!))),
      ...typeCountsOf(group),
      value: centsOf(group) / 100,
    }))
    .filter(row => weightOf(row, query.orderBy) > 0)
    .sort((a, b) => weightOf(b, query.orderBy) - weightOf(a, query.orderBy))
}

/** Rows of equal counts may come in any order. */
export async function assertBreakdown(
  store: EventStore,
  site: number,
  events: readonly CountedEvent[],
  query: BreakdownQuery,
): Promise<void> {
  const { rows, rowCount } = await store.breakdown(site, query)
  const expected = expectedBreakdown(events, query)
  const byGroup = new Map(expected.map(row => [groupKey(row), row]))
  const limit = query.limit ?? Number.POSITIVE_INFINITY
  assert.equal(rowCount, expected.length)
  assert.deepEqual(
    rows.map(row => weightOf(row, query.orderBy)),
    expected.slice(0, limit).map(row => weightOf(row, query.orderBy)),
  )
  for (const row of rows) assert.deepEqual(row, byGroup.get(groupKey(row)))
  assert.equal(new Set(rows.map(groupKey)).size, rows.length, 'a group is there twice')
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

/**
 * Holds that counts, series and breakdowns of a site equal its list to the unit, before and after the list is read;
 * returns the number of events.
 */
export async function assertRollUpsEqualList(store: EventStore, site: number): Promise<number> {
  const before = await store.counts(site, everyDay)
  const events = await listAll(store, site)
  const ids = new Set(events.map(event => event.id))
  assert.equal(ids.size, events.length, 'an event is listed twice')
  const expected = expectedCounts(events, everyDay)
  assert.deepEqual(before, expected)
  assert.deepEqual(await store.counts(site, everyDay), expected)
  for (const granularity of ['day', 'hour'] as const)
    assert.deepEqual(
      await store.series(site, everyDay, granularity),
      expectedSeries(events, everyDay, granularity),
    )
  for (const grouped of [[], ...dimensions.map(dimension => [dimension])])
    await assertBreakdown(store, site, events, {
      range: everyDay,
      filter: unfiltered,
      dimensions: grouped,
      orderBy: null,
      limit: null,
    })
  return events.length
}
