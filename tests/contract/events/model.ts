/** Promises held by chance: random batches and questions, each answer compared with plain filters over what was recorded. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type DateRange, dayMs, dayOf, hourMs, lastDay } from '../../../src/domain/date-range.ts'
import { type EventPosition, type EventType, eventTypes, type NewEvent } from '../../../src/domain/event.ts'
import type { EventStore, ListedEvent } from '../../../src/storage/event-store.ts'
import type { Suite } from '../engine.ts'
import { expectedCounts, expectedPage, expectedSeries, listOrder, seriesOf } from '../event-model.ts'
import { botEvent, everyDay, listAll, noon, record } from '../sample-events.ts'

/** Moments that meet each other: the same millisecond, both sides of midnight, leap days, long ago. */
const moment: fc.Arbitrary<number> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(noon, noon + 1, noon + 2) },
  { weight: 3, arbitrary: fc.integer({ min: noon - 3 * hourMs, max: noon + 3 * hourMs }) },
  { weight: 3, arbitrary: fc.integer({ min: noon - 100 * dayMs, max: noon }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.integer({ min: 0, max: 70 }), fc.constantFrom(-1, 0, 1, hourMs - 1, hourMs))
      .map(([days, ms]) => (dayOf(noon) - days) * dayMs + ms),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(0, 1, Date.UTC(2024, 1, 29), Date.UTC(2000, 0, 1), lastDay * dayMs),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: noon }) },
)

/** In the order of code units 🦊 comes before ￮, in that of UTF-8 after it. */
const names = ['GPTBot', 'gptbot', 'ClaudeBot', '', 'Größe', '￮', '🦊']

const event: fc.Arbitrary<NewEvent> = fc
  .record({
    type: fc.constantFrom(...eventTypes),
    name: fc.nat({ max: names.length - 1 }),
    createdAt: moment,
    cents: fc.option(fc.integer({ min: 0, max: 1_000_000 })),
  })
  .map(({ type, name, createdAt, cents }) =>
    botEvent({
      type,
      name: names[name]!,
      company: type === 'bot' ? `company ${name % 3}` : '',
      createdAt,
      value: type === 'conversion' && cents !== null ? cents / 100 : null,
    }),
  )

const batch: fc.Arbitrary<NewEvent[]> = fc.oneof(
  { weight: 4, arbitrary: fc.array(event, { maxLength: 8 }) },
  { weight: 1, arbitrary: fc.array(event, { minLength: 150, maxLength: 400, size: 'max' }) },
)

const range: fc.Arbitrary<DateRange> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(everyDay) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.integer({ min: -1, max: 110 }), fc.integer({ min: -1, max: 110 }))
      .map(([a, b]) => ({ start: dayOf(noon) - Math.max(a, b), end: dayOf(noon) - Math.min(a, b) })),
  },
)

const type: fc.Arbitrary<EventType | null> = fc.constantFrom(null, ...eventTypes)
const limit = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(100, 1000))

/** A site with the events that it must have, which learn their ids from the store as they are recorded. */
class Recorded {
  readonly site: number
  readonly events: (ListedEvent & { readonly path: string })[] = []
  #paths = 0

  constructor(site: number) {
    this.site = site
  }

  async add(store: EventStore, batches: readonly NewEvent[][]): Promise<void> {
    const added = batches.map(each => each.map(one => ({ ...one, path: `/${this.#paths++}` })))
    await Promise.all(added.map(each => record(store, this.site, each)))
    const listed = new Map((await listAll(store, this.site)).map(each => [each.path, each]))
    for (const each of added.flat()) {
      const { provenance: _, ...expected } = each
      const stored = listed.get(each.path)
      assert.deepEqual(stored, { ...expected, id: stored?.id })
      this.events.push(stored!)
    }
  }
}

export function modelPromises(suite: Suite): void {
  const { promise, newNumber } = suite

  promise(
    'whatever was recorded in whatever order, every question is answered as by filtering it',
    async () => {
      const writers = [suite.engine.stores.events, (await suite.another()).events] as const
      const question = fc.record({ range, type, limit, pick: fc.nat() })
      const step = fc.record({
        batches: fc.array(batch, { maxLength: 3 }),
        writer: fc.nat({ max: 1 }),
        question,
      })
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async steps => {
          const recorded = new Recorded(newNumber())
          const { site, events } = recorded
          for (const { batches, writer, question } of steps) {
            await recorded.add(writers[writer]!, batches)
            const { range, pick } = question
            const after: EventPosition | null = pick % 2 === 0 ? null : (events[pick % events.length] ?? null)
            for (const store of writers) {
              assert.deepEqual(await store.countsByName(site, range), expectedCounts(events, range))
              const query = { ...question, after }
              assert.deepEqual(await store.list(site, query), expectedPage(events, query))
              if (range.end - range.start > 1000) continue
              for (const granularity of ['day', 'hour'] as const) {
                const series = await seriesOf(store, site, range, granularity)
                assert.deepEqual([...series], expectedSeries(events, range, granularity))
              }
            }
          }
        }),
        { numRuns: 40 },
      )
    },
  )

  promise(
    'who pages while events arrive misses none and sees none twice, unless it is newer than his place',
    async () => {
      const { events: store } = suite.engine.stores
      const setting = fc.record({
        stored: batch,
        arriving: fc.array(fc.array(event, { maxLength: 5 }), { maxLength: 8 }),
        type,
        range,
        limit: fc.integer({ min: 1, max: 60 }),
      })
      await fc.assert(
        fc.asyncProperty(setting, async ({ stored, arriving, type, range, limit }) => {
          const recorded = new Recorded(newNumber())
          await recorded.add(store, [stored])
          const seen: ListedEvent[] = []
          /** What came in behind the reader's back: newer than where he stood. */
          const passed = new Set<number>()
          const sources = [...arriving]
          for (;;) {
            const after = seen.at(-1) ?? null
            const page = await store.list(recorded.site, { range, type, after, limit })
            seen.push(...page)
            if (page.length < limit) break
            const known = recorded.events.length
            await recorded.add(store, [sources.pop() ?? []])
            for (const added of recorded.events.slice(known)) {
              if (listOrder(added, seen.at(-1)!) < 0) passed.add(added.id)
            }
          }
          const due = expectedPage(recorded.events, {
            range,
            type,
            after: null,
            limit: Number.MAX_SAFE_INTEGER,
          })
          assert.deepEqual(
            seen,
            due.filter(({ id }) => !passed.has(id)),
          )
        }),
        { numRuns: 40 },
      )
    },
  )
}
