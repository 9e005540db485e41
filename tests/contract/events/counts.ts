/** Promises about counts and series: exact to the unit and to the cent, over any range. */
import assert from 'node:assert/strict'
import { dayMs, dayOf, hourMs, lastDay, monthOf } from '../../../src/domain/date-range.ts'
import { eventTypes, type NewEvent, valueMax } from '../../../src/domain/event.ts'
import { type DecimalSum, fromDecimal } from '../../../src/domain/money.ts'
import { type SeriesPoint, unfiltered } from '../../../src/storage/event-store.ts'
import type { Suite } from '../engine.ts'
import { assertRollUpsEqualList, expectedCounts } from '../event-model.ts'
import {
  botEvent,
  conversionEvent,
  dayRange,
  everyDay,
  listAll,
  manyEvents,
  noon,
  record,
  referralEvent,
} from '../sample-events.ts'

const none = { bot: [], referral: [], conversion: [] }

export function countPromises(suite: Suite): void {
  const { promise, newNumber } = suite

  promise('a site without events answers with nothing', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    assert.deepEqual(await events.counts(site, everyDay), none)
    assert.deepEqual(await events.series(site, { start: 10, end: 12 }, 'day'), [])
    assert.deepEqual(await events.series(site, dayRange(noon), 'hour'), [])
    assert.deepEqual(await events.attribution(site, everyDay), [])
    assert.deepEqual(await events.load(site, everyDay), [])
    assert.deepEqual(await events.exportSite(site, null, 10), [])
    assert.deepEqual(await listAll(events, site), [])
    assert.deepEqual(await events.imports(site), [])
    assert.equal(await events.revision(site), 0)
    assert.equal(await events.usage(site, 0), 0)
    assert.equal((await events.usageOfSites([site], 0)).size, 0)
  })

  promise('ten times 0.1 is 1, in one batch or in ten', async () => {
    const { events } = suite.engine.stores
    const [together, apart] = [newNumber(), newNumber()]
    const ten = Array.from({ length: 10 }, (_, i) =>
      conversionEvent({ value: 0.1, createdAt: noon + i * dayMs }),
    )
    await record(events, together, ten)
    for (const event of ten) await record(events, apart, [event])
    for (const site of [together, apart]) {
      const { conversion } = await events.counts(site, everyDay)
      assert.deepEqual(conversion, [{ name: 'signup', company: '', count: 10, value: 1 }])
    }
  })

  promise('sums are exact for large and small values, and over a part of the days', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const values = [1e12, 0.01, 0.02, 999_999_999.99, 0.1, 0.2, 0.000_000_001, 3, null]
    await record(
      events,
      site,
      values.map((value, i) => conversionEvent({ value, createdAt: noon + i * dayMs })),
    )
    const sumOf = async (from: number, to: number): Promise<number | undefined> => {
      const range = { start: dayOf(noon) + from, end: dayOf(noon) + to }
      return (await events.counts(site, range)).conversion[0]?.value
    }
    assert.equal(await sumOf(0, 2), 1_000_000_000_000.03)
    assert.equal(await sumOf(1, 4), 1_000_000_000.12)
    assert.equal(await sumOf(4, 5), 0.3)
    assert.equal(await sumOf(4, 6), 0.300_000_001)
    assert.equal(await sumOf(6, 6), 0.000_000_001)
    assert.equal(await sumOf(8, 8), 0)
    assert.equal(await sumOf(9, 9), undefined)
  })

  promise('refunds are subtracted, and a sum can be below zero', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const values = [-0.1, -0.2, 0.05, -1e12, -1e12, 3]
    await record(
      events,
      site,
      values.map((value, i) => conversionEvent({ value, createdAt: noon + Math.floor(i / 2) * dayMs })),
    )
    const sumOf = async (from: number, to: number): Promise<number | undefined> => {
      const range = { start: dayOf(noon) + from, end: dayOf(noon) + to }
      return (await events.counts(site, range)).conversion[0]?.value
    }
    assert.equal(await sumOf(0, 0), -0.3)
    assert.equal(await sumOf(1, 1), -999_999_999_999.95)
    assert.equal(await sumOf(0, 2), -1_999_999_999_997.25)
  })

  promise(
    'sums beyond all safe integers are still right, and no append or question fails of them',
    async () => {
      const { events } = suite.engine.stores
      const site = newNumber()
      const count = 12_000
      const sales = (value: number): NewEvent[] =>
        Array.from({ length: count / 4 }, (_, i) => conversionEvent({ value, createdAt: noon + i }))
      const holds = async (quarters: number, exactly: DecimalSum): Promise<void> => {
        const about = fromDecimal(exactly)
        assert.ok(Number.isFinite(about))
        const { conversion } = await events.counts(site, everyDay)
        assert.deepEqual(conversion, [
          { name: 'signup', company: '', count: (quarters * count) / 4, value: about },
        ])
        for (const dimensions of [
          [],
          ['name'],
          ['page'],
          ['country'],
          ['day'],
          ['page', 'country'],
        ] as const) {
          const query = { range: everyDay, filter: unfiltered, dimensions, orderBy: null, limit: null }
          assert.deepEqual(
            (await events.breakdown(site, query)).rows.map(({ value }) => value),
            [about],
            dimensions.join(),
          )
        }
        const [attributed] = await events.attribution(site, everyDay)
        assert.equal(fromDecimal(attributed!.value), about)
        assert.equal((await listAll(events, site)).length, (quarters * count) / 4)
      }
      for (let quarter = 1; quarter <= 4; quarter++) {
        await record(events, site, sales(valueMax))
        await holds(quarter, { whole: (quarter * count * valueMax) / 4, billionths: 0 })
      }
      // Back to where a number can hold every cent: nothing was lost on the way.
      await record(events, site, [...sales(-valueMax), ...sales(-valueMax)])
      await record(events, site, [...sales(-valueMax), ...sales(-valueMax)])
      await record(events, site, sales(0.04))
      await holds(9, { whole: count / 100, billionths: 0 })
      await record(events, site, [...sales(-valueMax), ...sales(-valueMax)])
      await record(events, site, [...sales(-valueMax), ...sales(-valueMax)])
      await holds(13, { whole: -count * valueMax + count / 100, billionths: 0 })
    },
  )

  promise('a conversion without a value counts as one and adds nothing', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    await record(events, site, [
      conversionEvent(),
      conversionEvent({ value: 0 }),
      conversionEvent({ value: 2.5 }),
    ])
    const { conversion } = await events.counts(site, everyDay)
    assert.deepEqual(conversion, [{ name: 'signup', company: '', count: 3, value: 2.5 }])
  })

  promise('both days of a range are inclusive, and days and hours are those of UTC', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const day = dayOf(noon)
    const first = day * dayMs
    const edges = [first - 1, first, first + hourMs - 1, first + hourMs, first + dayMs - 1, first + dayMs]
    await record(
      events,
      site,
      edges.map(createdAt => botEvent({ createdAt })),
    )
    const range = { start: day, end: day }
    assert.equal((await events.counts(site, range)).bot[0]?.count, 4)
    assert.equal((await events.list(site, { range, type: null, after: null, limit: 10 })).length, 4)
    const bots = (points: readonly SeriesPoint[]) => points.map(({ bucket, bot }) => [bucket, bot])
    assert.deepEqual(await events.series(site, range, 'day'), [
      { bucket: day, bot: 4, referral: 0, conversion: 0 },
    ])
    assert.deepEqual(bots(await events.series(site, range, 'hour')), [
      [day * 24, 2],
      [day * 24 + 1, 1],
      [day * 24 + 23, 1],
    ])
    assert.deepEqual(bots(await events.series(site, { start: day - 1, end: day + 1 }, 'day')), [
      [day - 1, 1],
      [day, 4],
      [day + 1, 1],
    ])
  })

  promise(
    'from 1970 to 9999: events at both ends are counted, listed and left out when the range ends',
    async () => {
      const { events } = suite.engine.stores
      const site = newNumber()
      const last = (lastDay + 1) * dayMs - 1
      const times = [0, 1, dayMs, noon, last - dayMs, last]
      await record(
        events,
        site,
        times.map((createdAt, i) => [botEvent, referralEvent][i % 2]!({ createdAt })),
      )
      const counts = async (start: number, end: number): Promise<number[]> => {
        const { bot, referral } = await events.counts(site, { start, end })
        return [bot[0]?.count ?? 0, referral[0]?.count ?? 0]
      }
      assert.deepEqual(await counts(0, lastDay), [3, 3])
      assert.deepEqual(await counts(1, lastDay), [2, 2])
      assert.deepEqual(await counts(0, lastDay - 1), [3, 2])
      assert.deepEqual(await counts(2, lastDay - 2), [0, 1])
      assert.deepEqual(await counts(lastDay, lastDay), [0, 1])
      assert.deepEqual(
        (await listAll(events, site, { limit: 4 })).map(({ createdAt }) => createdAt),
        [...times].reverse(),
      )
      assert.deepEqual(await events.series(site, { start: lastDay - 1, end: lastDay }, 'day'), [
        { bucket: lastDay - 1, bot: 1, referral: 0, conversion: 0 },
        { bucket: lastDay, bot: 0, referral: 1, conversion: 0 },
      ])
    },
  )

  promise('counts, series and list of many names over many days agree to the unit', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const recorded: NewEvent[] = Array.from({ length: 3000 }, (_, i) =>
      [botEvent, referralEvent, conversionEvent][i % 3]!({
        name: `name ${(i * 7919) % 101}`,
        createdAt: noon - ((i * 104_729) % 3000) * hourMs,
        value: i % 3 === 2 ? (i % 1000) / 100 : null,
      }),
    )
    for (let from = 0; from < 3000; from += 500) await record(events, site, recorded.slice(from, from + 500))
    assert.equal(await assertRollUpsEqualList(events, site), 3000)
    for (const [start, end] of [
      [-40, -40],
      [-70, -3],
      [-125, -31],
      [-33, 0],
    ] as const) {
      const range = { start: dayOf(noon) + start, end: dayOf(noon) + end }
      assert.deepEqual(await events.counts(site, range), expectedCounts(recorded, range))
    }
  })

  promise('a list of one type, a limit and a position give that page and no other', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const recorded = manyEvents(900).map(
      (event, i) => [event, referralEvent(event), conversionEvent(event)][i % 3]!,
    )
    await record(
      events,
      site,
      recorded.map(event => ({ ...event, company: '' })),
    )
    const all = await listAll(events, site)
    assert.equal(all.length, 900)
    for (const type of [null, ...eventTypes]) {
      const ofType = all.filter(event => type === null || event.type === type)
      assert.deepEqual(await listAll(events, site, { type, limit: 7 }), ofType)
      assert.deepEqual(
        await listAll(events, site, { type, limit: 1 }).then(list => list.length),
        ofType.length,
      )
    }
    const exactly = await events.list(site, { range: everyDay, type: null, after: null, limit: 900 })
    assert.deepEqual(exactly, all)
    const afterLast = { range: everyDay, type: null, after: all.at(-1)!, limit: 10 }
    assert.deepEqual(await events.list(site, afterLast), [])
  })

  promise('a position that lies outside of the range starts at the edge of the range', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    await record(
      events,
      site,
      [-1, 0, 1].map(days => botEvent({ createdAt: noon + days * dayMs })),
    )
    const list = async (createdAt: number): Promise<number> =>
      (await events.list(site, { range: dayRange(noon), type: null, after: { createdAt, id: 1 }, limit: 10 }))
        .length
    assert.equal(await list(noon + 2 * dayMs), 1)
    assert.equal(await list(noon - 2 * dayMs), 0)
  })

  promise('sites that were recorded together are answered apart', async () => {
    const { events } = suite.engine.stores
    const sites = Array.from({ length: 8 }, newNumber)
    await Promise.all(
      sites.flatMap((site, i) => [
        record(events, site, manyEvents(i + 1, { name: `of ${i}` })),
        record(events, site, [conversionEvent({ value: i })]),
      ]),
    )
    for (const [i, site] of sites.entries()) {
      assert.equal(await events.usage(site, monthOf(noon)), i + 2)
      const { bot, conversion } = await events.counts(site, everyDay)
      assert.deepEqual(bot, [{ name: `of ${i}`, company: 'OpenAI', count: i + 1, value: 0 }])
      assert.equal(conversion[0]?.value, i)
      await assertRollUpsEqualList(events, site)
    }
  })
}
