/** Threads that share what they have read must answer as if each had read it alone. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MessageChannel, Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { CountingDatabase } from '../../../../tests/contract/counting-database.ts'
import { expectedCounts, expectedSeries, seriesOf } from '../../../../tests/contract/event-model.ts'
import {
  botEvent,
  conversionEvent,
  everyDay,
  noon,
  record,
  referralEvent,
} from '../../../../tests/contract/sample-events.ts'
import { type OpenedSqlite, openTemporarySqlite } from '../../../../tests/contract/temporary-sqlite.ts'
import { dayMs, dayOf } from '../../../domain/date-range.ts'
import type { NewEvent } from '../../../domain/event.ts'
import type { EventStore } from '../../event-store.ts'
import type { Stores } from '../../stores.ts'
import { WaitingRows } from '../inbox/sqlite-waiting-rows.ts'
import { openSqlite } from '../open-sqlite.ts'
import { Freshness } from '../sqlite-freshness.ts'
import { createSnapshot } from '../sqlite-snapshot.ts'
import { toCountsByName } from './sqlite-ranking.ts'
import { SpanExchange } from './sqlite-span-exchange.ts'
import { SqliteSummaries } from './sqlite-summaries.ts'

/** Two ends of an exchange, of threads 1 and 2. */
function exchanges(): [SpanExchange, SpanExchange] {
  return [new SpanExchange(1), new SpanExchange(2)]
}

/** Connects them by a way on which messages wait until they are let through, as they do while a thread is busy. */
function connect(a: SpanExchange, b: SpanExchange): () => Promise<void> {
  const [left, right] = [new MessageChannel(), new MessageChannel()]
  const held: (() => void)[] = []
  for (const [from, to] of [
    [left, right],
    [right, left],
  ] as const)
    from.port2.on('message', message => held.push(() => to.port2.postMessage(message))).unref()
  a.connect(left.port1)
  b.connect(right.port1)
  return async () => {
    await someTurns()
    for (const letThrough of held.splice(0)) letThrough()
    await someTurns()
  }
}

/** So many that what was sent has arrived. */
async function someTurns(): Promise<void> {
  for (let i = 0; i < 8; i++) await nextTurn()
}

const threeOn = (day: number, names: number): NewEvent[] =>
  [botEvent, referralEvent, conversionEvent].map((make, i) =>
    make({ name: `name ${names + i}`, createdAt: day * dayMs + i * 1_000, value: i === 2 ? day / 4 : null }),
  )

/** Files what waits, so that the roll-ups tell everything. */
const file = ({ stores }: OpenedSqlite, site: number): Promise<unknown> =>
  Promise.resolve(stores.events.extent(site))

/** A reader whose statements are counted. */
function countingReader(t: TestContext, engine: OpenedSqlite, exchange: SpanExchange) {
  const reader = new CountingDatabase(engine.file, { readOnly: true })
  t.after(() => {
    exchange.close()
    reader.close()
  })
  const rows = new WaitingRows(reader, new Freshness(reader))
  const summaries = new SqliteSummaries(reader, createSnapshot(reader), rows, 2 ** 24, exchange)
  return {
    daysRead: () => reader.ran.filter(sql => /group_concat/.test(sql)).length,
    counts: (site: number, range = everyDay) =>
      summaries.withCounts(site, rows.revisionOf(site), range, toCountsByName),
    series: (site: number) => summaries.series(site, rows.revisionOf(site), everyDay, 'day'),
  }
}

async function openFiled(t: TestContext): Promise<{ engine: OpenedSqlite; events: NewEvent[] }> {
  const engine = await openTemporarySqlite()
  t.after(() => engine.close())
  const events = [0, 40, 41, 90].flatMap((days, i) => threeOn(dayOf(noon) - days, i))
  await record(engine.stores.events, 1, events)
  await file(engine, 1)
  return { engine, events }
}

test('what one thread has read is not read by another, be it connected before or after', async t => {
  const { engine, events } = await openFiled(t)
  const expected = expectedCounts(events, everyDay)
  for (const isConnectedFirst of [true, false]) {
    const [one, two] = exchanges()
    const [a, b] = [countingReader(t, engine, one), countingReader(t, engine, two)]
    const connected = isConnectedFirst ? connect(one, two) : null
    assert.deepEqual(a.counts(1), expected)
    await (connected ?? connect(one, two))()
    assert.deepEqual(b.counts(1), expected)
    assert.ok(a.daysRead() > 0)
    // Where there are no events, each looks for itself.
    assert.ok(b.daysRead() < a.daysRead() && b.daysRead() <= 2, `${b.daysRead()} of ${a.daysRead()}`)
  }
})

test('where both have read the same, its numbers lie in memory once in the end', async t => {
  const { engine, events } = await openFiled(t)
  const [one, two] = exchanges()
  const [a, b] = [countingReader(t, engine, one), countingReader(t, engine, two)]
  assert.deepEqual(a.counts(1), b.counts(1))
  await connect(one, two)()
  const ofA = a.series(1)[0]!
  const before = ofA.counts[ofA.from]!
  ofA.counts[ofA.from] = before + 1
  assert.equal(b.series(1)[0]!.counts[ofA.from], before + 1)
  ofA.counts[ofA.from] = before
  assert.deepEqual(a.counts(1), expectedCounts(events, everyDay))
  assert.deepEqual(b.counts(1), expectedCounts(events, everyDay))
})

test('a span of an older state than is known is not taken, nor one to which what waits must be added', async t => {
  const { engine, events } = await openFiled(t)
  const [one, two] = exchanges()
  const [a, b] = [countingReader(t, engine, one), countingReader(t, engine, two)]
  const deliver = connect(one, two)
  for (const [i, isFiled] of [true, false, true, true].entries()) {
    a.counts(1)
    const added = threeOn(dayOf(noon) - (i % 2) * 41, 10 * i)
    await record(engine.stores.events, 1, added)
    events.push(...added)
    if (isFiled) await file(engine, 1)
    assert.deepEqual(b.counts(1), expectedCounts(events, everyDay))
    await deliver()
    assert.deepEqual(b.counts(1), expectedCounts(events, everyDay))
  }
})

test('a span is not taken by a thread that knows its site, but not its names', async t => {
  const { engine, events } = await openFiled(t)
  const [one, two] = exchanges()
  const [a, b] = [countingReader(t, engine, one), countingReader(t, engine, two)]
  const deliver = connect(one, two)
  b.counts(1, { start: 0, end: 10 })
  a.counts(1)
  await deliver()
  assert.deepEqual(b.counts(1), expectedCounts(events, everyDay))
})

const step = fc.oneof(
  fc.record({ record: fc.uniqueArray(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 4 }) }),
  fc.record({ ask: fc.nat({ max: 1 }), days: fc.tuple(fc.nat({ max: 100 }), fc.nat({ max: 100 })) }),
  fc.constantFrom('file' as const, 'deliver' as const),
)

test('threads that share answer exactly, whatever is recorded, filed and asked in between, in whatever memory', async t => {
  const engine = await openTemporarySqlite()
  const [one, two] = exchanges()
  const threads = [
    openSqlite({ file: engine.file, spans: one }),
    openSqlite({ file: engine.file, spans: two, summaryBytesMax: 60_000 }),
  ]
  const deliver = connect(one, two)
  t.after(async () => {
    await Promise.all(threads.map(stores => stores.close()))
    await engine.close()
  })
  const today = dayOf(noon)
  let site = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 30, size: 'max' }), async steps => {
      site++
      const recorded: NewEvent[] = []
      const check = async ({ events }: Stores, [a, b]: readonly [number, number]): Promise<void> => {
        const range = { start: today - Math.max(a, b), end: today - Math.min(a, b) }
        assert.deepEqual(await events.countsByName(site, range), expectedCounts(recorded, range))
        const series = await seriesOf(events, site, range, 'hour')
        assert.deepEqual(Array.from(series), expectedSeries(recorded, range, 'hour'))
      }
      for (const chosen of steps) {
        if (chosen === 'file') await file(engine, site)
        else if (chosen === 'deliver') await deliver()
        else if ('ask' in chosen) await check(threads[chosen.ask]!, chosen.days)
        else {
          const added = chosen.record.flatMap(days => threeOn(today - days, recorded.length % 7))
          await record(engine.stores.events, site, added)
          recorded.push(...added)
        }
      }
      for (const stores of threads) await check(stores, [0, 100])
      await deliver()
      for (const stores of threads) await check(stores, [0, 100])
    }),
    { numRuns: 100 },
  )
})

test('a real thread that is given spans answers as this one, and neither keeps the other alive', async t => {
  const { engine } = await openFiled(t)
  const exchange = new SpanExchange()
  const stores = openSqlite({ file: engine.file, spans: exchange })
  const before = await stores.events.countsByName(1, everyDay)
  const { port1, port2 } = new MessageChannel()
  const worker = new Worker(
    new URL('../../../../tests/contract/sqlite/counting-thread.ts', import.meta.url),
    {
      workerData: { file: engine.file, port: port2 },
      transferList: [port2],
    },
  )
  exchange.connect(port1)
  const ask = async (events: EventStore): Promise<void> => {
    worker.postMessage({ site: 1, range: everyDay })
    const [answer] = await once(worker, 'message')
    assert.deepEqual(answer, await events.countsByName(1, everyDay))
  }
  for (let i = 0; i < 20; i++) {
    await ask(stores.events)
    if (i % 3 === 0) await record(engine.stores.events, 1, threeOn(dayOf(noon) - i * 10, i))
    if (i % 4 === 0) await file(engine, 1)
  }
  assert.notDeepEqual(await stores.events.countsByName(1, everyDay), before)
  worker.postMessage(null)
  await once(worker, 'exit')
  await stores.close()
})
