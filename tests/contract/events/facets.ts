/** Promises about breakdowns: every filter combines with every other, and all of them add up to the list of events. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type DateRange, dayMs, dayOf } from '../../../src/domain/date-range.ts'
import { eventTypes, type NewEvent } from '../../../src/domain/event.ts'
import type { EventStore, FacetFilter } from '../../../src/storage/event-store.ts'
import type { Suite } from '../engine.ts'
import { botEvent, conversionEvent, everyDay, noon, record, referralEvent } from '../sample-events.ts'

const noFilter: FacetFilter = { names: null, path: null, country: null }

/** Counts by page, country, name and day, in an order of their own, so that two can be compared. */
async function facetsOf(store: EventStore, site: number, filter: FacetFilter, range: DateRange = everyDay) {
  const report = await store.facets(site, { range, filter, pagesMax: 1_000, pageOrder: null })
  const byDay: Record<number, number[]> = {}
  for (let i = 0; i < report.days.length; i += 3) {
    const counts = [...report.days.subarray(i, i + 3)]
    if (counts.some(count => count > 0)) byDay[report.range!.start + i / 3] = counts
  }
  const rows = (counts: readonly { name: string }[]) =>
    Object.fromEntries(counts.map(({ name, ...rest }) => [name, rest]))
  for (const { count, days } of report.names) {
    assert.equal(
      days?.reduce((sum, each) => sum + each, 0),
      count,
    )
  }
  return {
    byPage: rows(report.pages),
    byCountry: rows(report.countries),
    byName: Object.fromEntries(
      report.names.map(({ type, name, company, count, value }) => [
        `${type} ${name}`,
        { company, count, value },
      ]),
    ),
    byDay,
  }
}

function expectedFacets(
  events: readonly NewEvent[],
  { names, path, country }: FacetFilter,
  range = everyDay,
) {
  const kept = events.filter(
    event =>
      dayOf(event.createdAt) >= range.start &&
      dayOf(event.createdAt) <= range.end &&
      (names === null || names.some(({ type, name }) => type === event.type && name === event.name)) &&
      (path === null || path === event.path) &&
      (country === null || country === event.country),
  )
  const rows = (keyOf: (event: NewEvent) => string) => {
    const groups = Object.groupBy(kept, keyOf)
    const counted = Object.entries(groups).map(([key, group]) => {
      const count = (type: string) => group!.filter(event => event.type === type).length
      const counts = { bot: count('bot'), referral: count('referral'), conversion: count('conversion') }
      return [key, { ...counts, value: sumOf(group!) }]
    })
    return Object.fromEntries(counted)
  }
  const byName = Object.groupBy(kept, ({ type, name }) => `${type} ${name}`)
  const byDay = Object.groupBy(kept, ({ createdAt }) => dayOf(createdAt))
  return {
    byPage: rows(event => event.path),
    byCountry: rows(event => event.country),
    byName: Object.fromEntries(
      Object.entries(byName).map(([name, group]) => [
        name,
        { company: group![0]!.company, count: group!.length, value: sumOf(group!) },
      ]),
    ),
    byDay: Object.fromEntries(
      Object.entries(byDay).map(([day, group]) => [
        day,
        eventTypes.map(type => group!.filter(event => event.type === type).length),
      ]),
    ),
  }
}

/** Values are whole cents here. */
const sumOf = (events: readonly NewEvent[]): number =>
  events.reduce((cents, { value }) => cents + Math.round((value ?? 0) * 100), 0) / 100

const anyEvent: fc.Arbitrary<NewEvent> = fc
  .record({
    make: fc.constantFrom(botEvent, referralEvent, conversionEvent),
    name: fc.constantFrom('one', 'two', 'three'),
    path: fc.constantFrom('/', '/a', '/b/c', '/ü', '/other'),
    country: fc.constantFrom('AA', 'DE', 'US', 'ZZ'),
    createdAt: fc.integer({ min: noon - 2 * dayMs, max: noon + 40 * dayMs }),
    cents: fc.option(fc.integer({ min: -1000, max: 100_000 })),
  })
  .map(({ make, cents, ...chosen }) => {
    const event = make(chosen)
    return event.type === 'conversion' && cents !== null ? { ...event, value: cents / 100 } : event
  })

const anyFilter: fc.Arbitrary<FacetFilter> = fc.record({
  names: fc.option(
    fc.array(
      fc.record({ type: fc.constantFrom(...eventTypes), name: fc.constantFrom('one', 'two', 'unknown') }),
      { maxLength: 3 },
    ),
  ),
  path: fc.option(fc.constantFrom('/', '/a', '/other', '/never')),
  country: fc.option(fc.constantFrom('DE', 'ZZ', 'FR', 'no country')),
})

export function facetPromises(suite: Suite): void {
  const { promise, newNumber } = suite

  promise('a breakdown with any filter is what the list of events adds up to', async () => {
    const { events } = suite.engine.stores
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyEvent, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 4 }),
        anyFilter,
        async (batches, filter) => {
          const site = newNumber()
          for (const batch of batches) await record(events, site, batch)
          assert.deepEqual(await facetsOf(events, site, filter), expectedFacets(batches.flat(), filter))
          const range = { start: dayOf(noon), end: dayOf(noon) + 33 }
          assert.deepEqual(
            await facetsOf(events, site, filter, range),
            expectedFacets(batches.flat(), filter, range),
          )
        },
      ),
      { numRuns: 25 },
    )
  })

  promise(
    'pages come by the count that is asked for, the largest first, and no more than asked for',
    async () => {
      const { events } = suite.engine.stores
      const site = newNumber()
      const reads = [3, 1, 2].flatMap((count, page) => Array(count).fill(botEvent({ path: `/${page}` })))
      await record(events, site, [...reads, ...Array(5).fill(referralEvent({ path: '/2' }))])
      const pages = async (pageOrder: 'bot' | 'referral' | null, pagesMax: number) => {
        const report = await events.facets(site, { range: everyDay, filter: noFilter, pagesMax, pageOrder })
        return [report.pageCount, ...report.pages.map(({ name }) => name)]
      }
      assert.deepEqual(await pages('bot', 2), [3, '/0', '/2'])
      assert.deepEqual(await pages(null, 1), [3, '/2'])
      assert.deepEqual(await pages('referral', 10), [1, '/2'])
    },
  )

  promise(
    'a day with more pages than an engine keeps counts every event once, the rest under "other"',
    async () => {
      const { events } = suite.engine.stores
      const site = newNumber()
      const count = 9_000
      for (let from = 0; from < count; from += 3_000) {
        const batch = Array.from({ length: 3_000 }, (_, i) => botEvent({ path: `/page/${from + i}` }))
        await record(events, site, batch)
      }
      await record(events, site, [botEvent({ path: '/page/1' }), botEvent({ path: '/late', country: 'FR' })])
      const query = { range: everyDay, filter: noFilter, pagesMax: 20_000, pageOrder: null }
      const report = await events.facets(site, query)
      const listed = report.pages.reduce((sum, { bot }) => sum + bot, 0)
      assert.equal(listed + report.otherPages.bot, count + 2)
      assert.equal(report.names[0]!.count, count + 2)
      assert.equal(report.countries.find(({ name }) => name === 'FR')?.bot, 1)
      assert.deepEqual(report.pages[0], { name: '/page/1', bot: 2, referral: 0, conversion: 0, value: 0 })
      assert.ok(report.pageCount >= 5_000)
    },
  )

  promise('the extent is the first and the last day with events, whatever came first', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    assert.equal(await events.extent(site), null)
    await record(events, site, [botEvent({ createdAt: noon }), botEvent({ createdAt: noon + 9 * dayMs })])
    await record(events, site, [botEvent({ createdAt: noon - 40 * dayMs })])
    assert.deepEqual(await events.extent(site), { start: dayOf(noon) - 40, end: dayOf(noon) + 9 })
  })

  promise('removing a site empties its breakdowns', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    await record(events, site, [botEvent()])
    await events.removeSite(site)
    assert.deepEqual(await facetsOf(events, site, noFilter), expectedFacets([], noFilter))
    assert.equal(await events.extent(site), null)
  })
}
