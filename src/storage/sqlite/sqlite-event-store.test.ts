/** How much work a question is, in statements: a guard against slowing down that every machine can check alike. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { CountingDatabase } from '../../../tests/contract/counting-database.ts'
import {
  batchOf,
  botEvent,
  conversionEvent,
  manyEvents,
  noon,
  record,
  referralEvent,
} from '../../../tests/contract/sample-events.ts'
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { dayMs, dayOf } from '../../domain/date-range.ts'
import type { CountsByName, EventStore } from '../event-store.ts'
import { allCounts } from '../series.ts'
import { IntakeNotes } from './health/sqlite-intake-notes.ts'
import { SqliteAppender } from './sqlite-appender.ts'
import { createSqliteEventStore } from './sqlite-event-store.ts'
import { Freshness } from './sqlite-freshness.ts'
import { packEvents } from './sqlite-packed-events.ts'
import { migrate } from './sqlite-schema.ts'
import { SqliteWriter } from './sqlite-writer.ts'

const file = join(temporaryFolder(), 'pugmark.db')
migrate(file)
const writers: SqliteWriter[] = []
after(() => Promise.all(writers.map(writer => writer.close())))

function openCounting(summaryBytesMax = 2 ** 20) {
  const reader = new CountingDatabase(file, { readOnly: true })
  const freshness = new Freshness(reader)
  const writer = new SqliteWriter(file, () => freshness.expire())
  writers.push(writer)
  const notes = new IntakeNotes(writer)
  const events = createSqliteEventStore(reader, writer, freshness, notes, summaryBytesMax)
  return { reader, freshness, events }
}

const month = { start: dayOf(noon) - 29, end: dayOf(noon) }
const firstPage = { range: month, type: null, after: null, limit: 100 }

/** Some events on each of the last thirty days. */
const aMonthOf = (perDay: number) =>
  Array.from({ length: 30 * perDay }, (_, i) =>
    [botEvent, referralEvent, conversionEvent][i % 3]!({
      name: `name ${i % 20}`,
      path: `/page/${i % 50}`,
      createdAt: noon - Math.floor(i / perDay) * dayMs,
    }),
  )

test('counts and series that were asked for before are answered without a statement', async () => {
  const { reader, events } = openCounting()
  await record(events, 1, aMonthOf(30))
  await events.countsByName(1, month)
  const again = await reader.countDuring(async () => {
    for (let days = 0; days < 30; days++) {
      const range = { start: month.start + days, end: month.end }
      await events.countsByName(1, range)
      await events.series(1, range, 'day')
      await events.series(1, range, 'hour')
      await events.revision(1)
    }
  })
  assert.deepEqual(again, { run: 0, prepared: 0 })
})

test('after an append a month of counts takes at most eleven statements, whatever the traffic', async () => {
  const { reader, events } = openCounting()
  for (const perDay of [3, 300]) {
    await record(events, 2, aMonthOf(perDay))
    const { run, prepared } = await reader.countDuring(() => events.countsByName(2, month))
    // What is new in the inbox, the revision, begin and end of the snapshot, first and last day, rows of the inbox and their origins, two spans, and new names once.
    assert.ok(run <= 11, `${run} statements: ${reader.ran.join('; ')}`)
    assert.equal(prepared, 0)
  }
})

test('a page of a hundred events takes a statement a chunk, not one an event', async () => {
  const { reader, events } = openCounting()
  await record(events, 3, aMonthOf(300))
  await events.list(3, firstPage)
  const { run, prepared } = await reader.countDuring(() => events.list(3, firstPage))
  // The snapshot, and the newest chunk.
  assert.ok(run <= 3, `${run} statements: ${reader.ran.join('; ')}`)
  const ofOneType = await reader.countDuring(() =>
    events.list(3, { ...firstPage, type: 'conversion', limit: 1000 }),
  )
  assert.ok(ofOneType.run <= 3 + 1000 / 90, `${ofOneType.run} statements`)
  assert.equal(prepared + ofOneType.prepared, 0)
})

test('a page of a rare type takes a statement an event at the most, however many events of other types there are', async () => {
  const { reader, events } = openCounting()
  const rare = [1, 2, 3].map(day => referralEvent({ createdAt: noon - day * dayMs }))
  const others = manyEvents(20_000).map((_, i) => botEvent({ createdAt: noon - i * 30_000 }))
  await record(events, 6, [...others, ...rare])
  const page = (): Promise<unknown> => Promise.resolve(events.list(6, { ...firstPage, type: 'referral' }))
  assert.equal(((await page()) as unknown[]).length, rare.length)
  const { run } = await reader.countDuring(page)
  // The snapshot, a chunk for each, and that there is no further one.
  assert.ok(run <= 2 + rare.length + 1, `${run} statements`)
})

test('an event takes less than 20 bytes of chunks and roll-ups', async () => {
  const { reader, events } = openCounting()
  const count = 30_000
  const recorded = manyEvents(count).map((event, i) => ({
    ...event,
    path: `/page/${i % 100}`,
    createdAt: noon - i * 20_000,
  }))
  for (let from = 0; from < count; from += 10_000)
    await record(events, 4, recorded.slice(from, from + 10_000))
  const bytes = reader
    .prepare(
      `SELECT (SELECT sum(length(data)) FROM chunk WHERE site = 4)
            + (SELECT sum(length(data)) FROM day WHERE key >> 22 = 4) AS bytes`,
    )
    .get()?.bytes
  assert.ok(Number(bytes) / count < 20, `${Number(bytes) / count} bytes an event`)
})

test('where memory for roll-ups is short, sites make room for each other and every answer is still right', async () => {
  const sites = Array.from({ length: 12 }, (_, i) => 100 + i)
  const [roomy, short] = [openCounting(2 ** 20), openCounting(60_000)]
  for (const site of sites) await record(roomy.events, site, aMonthOf(site - 99))
  // Files what was recorded.
  for (const site of sites) await roomy.events.list(site, firstPage)
  const askAll = async (events: EventStore): Promise<void> => {
    for (const site of sites) {
      const { bot, referral, conversion } = await events.countsByName(site, month)
      const total = [...bot, ...referral, ...conversion].reduce((sum, { count }) => sum + count, 0)
      assert.equal(total, 30 * (site - 99))
      const days = allCounts(await events.series(site, month, 'day'), month, 'day')
      assert.equal(
        days.reduce((sum, count) => sum + count, 0),
        total,
      )
    }
  }
  const reads: number[] = []
  for (const { reader, events } of [roomy, short]) {
    await askAll(events)
    reads.push((await reader.countDuring(() => askAll(events))).run)
  }
  assert.equal(reads[0], 0)
  assert.ok(reads[1]! > sites.length, 'nothing made room')
})

test('an answer over several spans is of one moment, also when another process commits in the middle of a round', () => {
  const { reader, events, freshness } = openCounting()
  const far = noon - 100 * dayMs
  const pair = [botEvent({ createdAt: far }), botEvent({ createdAt: noon })]
  const other = new DatabaseSync(file, { timeout: 10_000 })
  const appender = new SqliteAppender(other)
  const commit = (): void => {
    other.exec('BEGIN IMMEDIATE')
    const { outcome } = appender.append({ ...batchOf(5, []), events: packEvents(pair, () => 0) })
    appender.file(5)
    appender.flush()
    other.exec('COMMIT')
    assert.equal(outcome, 'recorded')
  }
  const countOf = (start: number, end: number): number =>
    (events.countsByName(5, { start: dayOf(start), end: dayOf(end) }) as CountsByName).bot[0]?.count ?? 0
  commit()
  freshness.hold()
  assert.equal(countOf(far, far), 1)
  commit()
  // The first span is in memory, the second is not: what is read now must not be added to what was.
  assert.equal(countOf(far, noon) % 2, 0)
  assert.equal(countOf(noon, noon), 2)
  assert.ok(reader.ran.length > 0)
  other.close()
})
