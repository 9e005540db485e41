/** How much work a breakdown is, in statements and bytes: bounded by days, not by traffic, on every machine alike. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { CountingDatabase } from '../../../../tests/contract/counting-database.ts'
import { batchOf, botEvent, conversionEvent, noon } from '../../../../tests/contract/sample-events.ts'
import { temporaryFolder } from '../../../../tests/support/temporary-folder.ts'
import { dayMs, dayOf } from '../../../domain/date-range.ts'
import type { NewEvent } from '../../../domain/event.ts'
import { dayKey } from '../days/sqlite-day.ts'
import { SqliteAppender } from '../sqlite-appender.ts'
import { packEvents } from '../sqlite-packed-events.ts'
import { migrate } from '../sqlite-schema.ts'
import { createSnapshot } from '../sqlite-snapshot.ts'
import { FacetReader } from './sqlite-facet-reader.ts'
import { facetsPerDayMax } from './sqlite-facets.ts'

const file = join(temporaryFolder(), 'pugmark.db')
migrate(file)
const database = new DatabaseSync(file)
const appender = new SqliteAppender(database)
const reader = new CountingDatabase(file, { readOnly: true })
const facets = new FacetReader(reader, createSnapshot(reader))
after(() => {
  reader.close()
  database.close()
})

function record(site: number, events: readonly NewEvent[]): void {
  database.exec('BEGIN IMMEDIATE')
  const { outcome } = appender.append({ ...batchOf(site, []), events: packEvents(events, () => 0) })
  appender.file(site)
  appender.flush()
  database.exec('COMMIT')
  assert.equal(outcome, 'recorded')
}

const days = 3
const range = { start: dayOf(noon) - days + 1, end: dayOf(noon) }
const filter = { names: null, path: null, country: null }
const topTen = { range, filter, pagesMax: 10, pageOrder: null }

/** So many events on each of the days, of pages that no day has twice. */
function fill(site: number, perDay: number): void {
  for (let day = 0; day < days; day++) {
    for (let from = 0; from < perDay; from += 2_500) {
      const events = Array.from({ length: Math.min(2_500, perDay - from) }, (_, i) =>
        botEvent({ path: `/page/${day * 1_000 + from + i}`, createdAt: noon - day * dayMs }),
      )
      record(site, events)
    }
  }
}

describe('a breakdown by page', () => {
  test('takes the same statements whatever the traffic, and one for each page that it shows', async () => {
    const counts: number[] = []
    for (const [site, perDay] of [
      [1, 200],
      [2, 12_000],
    ] as const) {
      fill(site, perDay)
      const { run, prepared } = await reader.countDuring(() => facets.read(site, topTen))
      assert.equal(prepared, 0)
      counts.push(run)
    }
    // First and last day, names, both ends of the snapshot, merged rows and tails, and ten paths.
    assert.deepEqual(counts, [16, 16])
  })

  test('reads a bounded number of bytes a day', () => {
    const sizes = reader
      .prepare('SELECT length(data) AS bytes FROM facet WHERE key BETWEEN ? AND ?')
      .all(dayKey(2, range.start), dayKey(2, range.end))
      .map(row => Number(row.bytes))
    assert.equal(sizes.length, days)
    for (const bytes of sizes) assert.ok(bytes < (facetsPerDayMax + 1_000) * 6, `${bytes} bytes`)
  })

  test('of a full day does not change when its tail is merged', async () => {
    const everything = { ...topTen, pagesMax: 100_000 }
    fill(3, facetsPerDayMax - 100)
    // Some of it fits, some counts as "other"; none of it is merged yet.
    const late = Array.from({ length: 300 }, (_, i) => botEvent({ path: `/late/${i}`, country: 'FR' }))
    record(3, [...late, conversionEvent({ value: 1.5 })])
    const before = await facets.read(3, everything)
    // One by one as they came first, so that nothing new is counted: enough of them to make the tail merge.
    const known = Array.from({ length: 600 }, (_, i) => botEvent({ path: `/page/${i}` }))
    record(3, known)
    const merged = await facets.read(3, everything)
    const late100 = (report: typeof merged) =>
      report.pages.filter(({ name }) => name.startsWith('/late/')).map(({ name, bot }) => [name, bot])
    assert.equal(late100(before).length, 100)
    assert.deepEqual(late100(merged), late100(before))
    assert.deepEqual(merged.otherPages, before.otherPages)
    assert.equal(merged.otherPages.bot + merged.otherPages.conversion, 201)
    assert.equal(merged.otherPages.value, 1.5)
  })

  test('that is about no page leaves pages out', async () => {
    const { pages, pageCount, otherPages, names } = await facets.read(2, { ...topTen, pagesMax: 0 })
    assert.deepEqual([pages, pageCount, otherPages.bot], [[], 0, 0])
    assert.equal(names[0]!.count, days * 12_000)
  })
})
