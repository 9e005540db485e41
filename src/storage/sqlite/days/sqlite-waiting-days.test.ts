/** What waits must be counted as if it were filed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { expectedCounts, expectedSeries, seriesOf } from '../../../../tests/contract/event-model.ts'
import {
  botEvent,
  conversionEvent,
  everyDay,
  noon,
  record,
  referralEvent,
} from '../../../../tests/contract/sample-events.ts'
import { openTemporarySqlite } from '../../../../tests/contract/temporary-sqlite.ts'
import { dayMs, dayOf, lastDay } from '../../../domain/date-range.ts'
import type { NewEvent } from '../../../domain/event.ts'
import { openSqlite } from '../open-sqlite.ts'

/** In a few spans, some of them far from each other and from what is filed. */
const day = fc.oneof(
  fc.integer({ min: 0, max: 3 }).map(days => dayOf(noon) - days),
  fc.integer({ min: 0, max: 6 }).map(spans => dayOf(noon) - spans * 40),
  fc.constantFrom(0, 1, 5_000, 5_040, lastDay),
)
const ranges = fc.tuple(day, day).map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }))
const spreadStep = fc.oneof(
  fc.record({ days: fc.array(day, { minLength: 1, maxLength: 6 }) }),
  fc.record({ range: ranges }),
  fc.constant('file' as const),
)

test('what waits is counted on any day, beside what is filed and far from it, in whatever memory', async t => {
  let site = 0
  const engine = await openTemporarySqlite()
  const file = engine.file
  const tight = openSqlite({ file, summaryBytesMax: 20_000 })
  t.after(async () => {
    await tight.close()
    await engine.close()
  })
  await fc.assert(
    fc.asyncProperty(fc.array(spreadStep, { minLength: 2, maxLength: 14 }), async steps => {
      site++
      const recorded: NewEvent[] = []
      const check = async (range: { start: number; end: number }): Promise<void> => {
        const expected = expectedCounts(recorded, range)
        for (const { events } of [engine.stores, tight]) {
          assert.deepEqual(await events.countsByName(site, range), expected)
          if (range.end - range.start < 1_000)
            assert.deepEqual(
              Array.from(await seriesOf(events, site, range, 'day')),
              expectedSeries(recorded, range, 'day'),
            )
        }
      }
      for (const chosen of steps) {
        if (chosen === 'file') await tight.events.extent(site)
        else if ('range' in chosen) await check(chosen.range)
        else {
          const added = chosen.days.map((number, i) =>
            [botEvent, referralEvent, conversionEvent][i % 3]!({
              name: `name ${recorded.length % 5}`,
              createdAt: number * dayMs + i * 1_000,
              value: i % 3 === 2 ? number / 4 : null,
            }),
          )
          await record(engine.stores.events, site, added)
          recorded.push(...added)
        }
      }
      await check(everyDay)
    }),
    { numRuns: 150 },
  )
})
