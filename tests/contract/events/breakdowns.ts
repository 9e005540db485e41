/** Promises about breakdowns: every filter combines with every dimension, and all of them add up to the list of events. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type DateRange, dayMs, dayOf } from '../../../src/domain/date-range.ts'
import { type EventType, eventTypes, type NewEvent } from '../../../src/domain/event.ts'
import {
  type BreakdownQuery,
  type Dimension,
  type EventFilter,
  unfiltered,
} from '../../../src/storage/event-store.ts'
import type { Suite } from '../engine.ts'
import { assertBreakdown, dimensions } from '../event-model.ts'
import {
  botEvent,
  conversionEvent,
  everyDay,
  newestFirst,
  noon,
  record,
  referralEvent,
  someJudgement,
} from '../sample-events.ts'

const queryBy = (grouped: readonly Dimension[], chosen: Partial<BreakdownQuery> = {}): BreakdownQuery => ({
  range: everyDay,
  filter: unfiltered,
  dimensions: grouped,
  orderBy: null,
  limit: null,
  ...chosen,
})

/** No dimension, each one, and each pair. */
export const groupings: readonly (readonly Dimension[])[] = [
  [],
  ...dimensions.map(dimension => [dimension]),
  ...dimensions.flatMap((one, i) => dimensions.slice(i + 1).map(other => [one, other])),
]

export const anyFilter = (names: readonly string[], paths: readonly string[]): fc.Arbitrary<EventFilter> =>
  fc.record({
    names: fc.option(
      fc.array(
        fc.record({ type: fc.constantFrom(...eventTypes), name: fc.constantFrom(...names, 'unknown') }),
        { maxLength: 3 },
      ),
    ),
    path: fc.option(fc.constantFrom(...paths, '/never')),
    country: fc.option(fc.constantFrom('DE', 'ZZ', 'FR', 'no country')),
  })

const names = ['one', 'two', 'three']
const paths = ['/', '/a', '/b/c', '/ü', '/other']

const anyEvent: fc.Arbitrary<NewEvent> = fc
  .record({
    make: fc.constantFrom(botEvent, referralEvent, conversionEvent),
    name: fc.constantFrom(...names),
    path: fc.constantFrom(...paths),
    country: fc.constantFrom('AA', 'DE', 'US', 'ZZ'),
    createdAt: fc.integer({ min: noon - 2 * dayMs, max: noon + 40 * dayMs }),
    cents: fc.option(fc.integer({ min: -1000, max: 100_000 })),
  })
  .map(({ make, cents, ...chosen }) => {
    const event = make(chosen)
    return event.type === 'conversion' && cents !== null ? { ...event, value: cents / 100 } : event
  })

/** Newest first. */
const expectedPaths = (events: readonly NewEvent[], type: EventType): string[] =>
  newestFirst(events.filter(event => event.type === type)).map(({ path }) => path)

export function breakdownPromises(suite: Suite): void {
  const { promise, newNumber } = suite

  promise('a breakdown by anything, with any filter, is what the list of events adds up to', async () => {
    const { events } = suite.engine.stores
    const ranges: readonly DateRange[] = [everyDay, { start: dayOf(noon), end: dayOf(noon) + 33 }]
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyEvent, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 4 }),
        anyFilter(names.slice(0, 2), ['/', '/a', '/other']),
        fc.constantFrom(null, ...eventTypes),
        fc.option(fc.integer({ min: 1, max: 6 })),
        async (batches, filter, orderBy, limit) => {
          const site = newNumber()
          for (const batch of batches) await record(events, site, batch)
          for (const range of ranges)
            for (const grouped of groupings)
              await assertBreakdown(
                events,
                site,
                batches.flat(),
                queryBy(grouped, { range, filter, orderBy, limit }),
              )
        },
      ),
      { numRuns: 25 },
    )
  })

  promise('all dimensions together, in whatever order they are named, give the same groups', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const [recorded] = fc.sample(fc.array(anyEvent, { minLength: 60, maxLength: 60, size: 'max' }), {
      numRuns: 1,
      seed: 1,
    })
    await record(events, site, recorded!)
    for (const grouped of [dimensions, dimensions.toReversed()])
      await assertBreakdown(events, site, recorded!, queryBy(grouped))
  })

  promise(
    'rows come by the count that is asked for, the largest first, and no more than asked for',
    async () => {
      const { events } = suite.engine.stores
      const site = newNumber()
      const reads = [3, 1, 2].flatMap((count, page) => Array(count).fill(botEvent({ path: `/${page}` })))
      await record(events, site, [...reads, ...Array(5).fill(referralEvent({ path: '/2' }))])
      const pages = async (orderBy: 'bot' | 'referral' | null, limit: number) => {
        const { rowCount, rows } = await events.breakdown(site, queryBy(['page'], { orderBy, limit }))
        return [rowCount, ...rows.map(({ page }) => page)]
      }
      assert.deepEqual(await pages('bot', 2), [3, '/0', '/2'])
      assert.deepEqual(await pages(null, 1), [3, '/2'])
      assert.deepEqual(await pages('referral', 10), [1, '/2'])
    },
  )

  promise('of tens of thousands of events and pages, every one is counted and listed', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const recorded = Array.from({ length: 52_000 }, (_, i) =>
      (i % 1_000 === 0 ? conversionEvent : botEvent)({
        path: `/page/${(i * 7) % 50_000}`,
        country: i % 5 === 0 ? 'FR' : 'DE',
        createdAt: noon + (i % 3) * dayMs + i,
        value: i % 2_000 === 0 ? 0.1 : null,
      }),
    )
    for (let from = 0; from < recorded.length; from += 4_000)
      await record(events, site, recorded.slice(from, from + 4_000))
    const french: EventFilter = { ...unfiltered, country: 'FR' }
    const holds = async (): Promise<void> => {
      for (const query of [
        queryBy(['page'], { limit: 10 }),
        queryBy(['page', 'day'], { orderBy: 'conversion' }),
        queryBy(['name', 'country'], { filter: french }),
        queryBy(['page'], { range: { start: dayOf(noon), end: dayOf(noon) } }),
      ])
        await assertBreakdown(events, site, recorded, query)
    }
    await holds()
    const bots = await events.list(site, { range: everyDay, type: 'bot', after: null, limit: 1_000 })
    assert.deepEqual(
      bots.map(({ path }) => path),
      expectedPaths(recorded, 'bot').slice(0, 1_000),
    )
    // Judged anew, the days are counted again.
    const amendments = bots.slice(0, 3).map(position => ({ position, judgement: someJudgement }))
    assert.equal(await events.amend(site, amendments, noon), 3)
    await holds()
  })

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
    for (const grouped of groupings) await assertBreakdown(events, site, [], queryBy(grouped))
    assert.equal(await events.extent(site), null)
  })
}
