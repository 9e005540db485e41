/** What recording and answering cost, in statements, rows and bytes: these numbers vary with the code and not with the machine. */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { dayMs } from '../../../src/domain/date-range.ts'
import type { NewEvent } from '../../../src/domain/event.ts'
import { type EventBatch, type EventStore, unfiltered } from '../../../src/storage/event-store.ts'
import { packEvents } from '../../../src/storage/sqlite/event-fields.ts'
import { EventWriter } from '../../../src/storage/sqlite/event-writer.ts'
import { createFingerprints } from '../../../src/storage/sqlite/fingerprints.ts'
import { openSqlite } from '../../../src/storage/sqlite/open-sqlite.ts'
import { createSchema } from '../../../src/storage/sqlite/schema.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { countDuring, type StatementCounts } from '../count-statements.ts'
import {
  batchOf,
  botEvent,
  conversionEvent,
  everyDay,
  listAll,
  noon,
  record,
  referralEvent,
  someProvenance,
} from '../sample-events.ts'

const newFile = (): string => join(temporaryFolder(), 'pugmark.db')

/** Numbers that look random and are the same in every run. */
function* randomNumbers(): Generator<number, never> {
  for (let state = 1; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state / 2 ** 32
  }
}

/**
 * Events of one site as they come: half a year in the order of time, twenty bots with several user agents each, many pages that are
 * visited rarely and few that are visited often.
 */
function siteTraffic(count: number, seed: number): NewEvent[] {
  const random = randomNumbers()
  const next = (): number => random.next().value
  for (let i = 0; i < seed; i++) next()
  return Array.from({ length: count }, (_, i) => {
    const kind = next()
    const bot = Math.floor(next() ** 2 * 20)
    const page = `/articles/${Math.floor(next() ** 3 * (count / 4))}-a-title-of-usual-length`
    const event: Partial<NewEvent> = {
      path: page,
      country: ['US', 'DE', 'FR', 'IE', 'ZZ'][Math.floor(next() ** 2 * 5)]!,
      createdAt: noon - Math.floor((180 * dayMs * (count - i)) / count),
      status: next() < 0.9 ? 200 : 404,
      bytes: Math.floor(next() ** 4 * 200_000),
      durationMs: Math.floor(next() * 400),
      provenance: {
        ...someProvenance,
        userAgent: `Mozilla/5.0 (compatible; Bot${bot}/${Math.floor(next() * 3)}.0)`,
      },
    }
    if (kind > 0.98) return conversionEvent({ ...event, path: '/thanks', value: 49.9 })
    if (kind > 0.88) return referralEvent({ ...event, name: `Assistant ${bot % 6}` })
    return botEvent({ ...event, name: `Bot${bot}`, company: `Company ${bot % 8}` })
  })
}

test('an append runs one statement for each event whose texts are known, and few more', async () => {
  const file = newFile()
  createSchema(file)
  const database = new DatabaseSync(file)
  const writer = new EventWriter(database)
  const fingerprintOf = createFingerprints('secret')
  const append = (events: number, chosen: Partial<EventBatch> = {}): Promise<StatementCounts> =>
    countDuring(() => {
      const batch = batchOf(1, Array(events).fill(botEvent()), chosen)
      database.exec('BEGIN')
      writer.begin()
      assert.equal(
        writer.append({ ...batch, events: packEvents(batch.events, fingerprintOf) }).outcome,
        'recorded',
      )
      writer.flush()
      database.exec('COMMIT')
    })
  await append(1)
  const [one, thousand] = [await append(1), await append(1_000)]
  assert.equal(thousand.ran.length - one.ran.length, 999)
  assert.ok(one.ran.length <= 12, one.ran.join('\n'))
  const full = await append(1, {
    idempotency: { key: 'key', bodyHash: '', response: '' },
    intake: { source: 'hits', ignored: {}, duplicates: 0 },
  })
  assert.ok(full.ran.length <= 18, full.ran.join('\n'))
  const prepared = [one, thousand, full].reduce((sum, counts) => sum + counts.prepared, 0)
  assert.equal(prepared, 0, 'statements are prepared once')
  database.close()
})

/** Every question, and the most statements that it may take. */
const questions: Readonly<
  Record<string, { most: number; ask: (events: EventStore, site: number) => Promise<unknown> }>
> = {
  revision: { most: 2, ask: (events, site) => events.revision(site) },
  counts: { most: 3, ask: (events, site) => events.counts(site, everyDay) },
  days: { most: 1, ask: (events, site) => events.series(site, everyDay, 'day') },
  hours: { most: 1, ask: (events, site) => events.series(site, everyDay, 'hour') },
  extent: { most: 1, ask: (events, site) => events.extent(site) },
  list: {
    most: 2,
    ask: (events, site) => events.list(site, { range: everyDay, type: null, after: null, limit: 20 }),
  },
  conversions: {
    most: 2,
    ask: (events, site) => events.list(site, { range: everyDay, type: 'conversion', after: null, limit: 2 }),
  },
  attribution: { most: 3, ask: (events, site) => events.attribution(site, everyDay) },
  health: { most: 6, ask: (events, site) => events.health(site) },
  load: { most: 1, ask: (events, site) => events.load(site, everyDay) },
  imports: { most: 1, ask: (events, site) => events.imports(site) },
  usage: { most: 1, ask: (events, site) => events.usage(site, 2026 * 12) },
  'names, with a filter': {
    most: 6,
    ask: (events, site) =>
      events.breakdown(site, {
        range: everyDay,
        filter: { ...unfiltered, names: [{ type: 'bot', name: 'Bot1' }] },
        dimensions: ['name'],
        orderBy: null,
        limit: 10,
      }),
  },
  // The texts of the ten pages are ten statements.
  'pages, with a filter': {
    most: 16,
    ask: (events, site) =>
      events.breakdown(site, {
        range: everyDay,
        filter: { ...unfiltered, country: 'DE' },
        dimensions: ['page'],
        orderBy: 'bot',
        limit: 10,
      }),
  },
}

test('questions take few statements, however many events there are, and those of a kind prepare none again', async t => {
  const file = newFile()
  const stores = openSqlite({ file })
  t.after(() => stores.close())
  const { events } = stores
  const sizes = [200, 20_000]
  for (const [i, size] of sizes.entries())
    await record(events, i + 1, siteTraffic(size, i), {
      intake: { source: 'hits', ignored: {}, duplicates: 0 },
    })
  // Once each: some statements are prepared when they are first needed, and names are looked up once.
  for (const { ask } of Object.values(questions)) for (const site of [1, 2]) await ask(events, site)
  const asked = new Set<string>()
  for (const [name, { most, ask }] of Object.entries(questions)) {
    for (const site of [1, 2]) {
      const { ran, prepared } = await countDuring(() => ask(events, site))
      assert.ok(ran.length <= most, `${name} took ${ran.length} statements:\n${ran.join('\n')}`)
      assert.equal(prepared, 0, `${name} prepared statements again`)
      for (const sql of ran) asked.add(sql)
    }
  }

  // No question reads a table from end to end: it finds its rows by the key or an index.
  const reader = new DatabaseSync(file, { readOnly: true })
  for (const sql of asked) {
    if (sql.startsWith('PRAGMA') || sql.startsWith('BEGIN') || sql.startsWith('COMMIT')) continue
    const steps = reader
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail))
    // What the statement itself has made, and the list of values handed over, are small.
    const made = steps.flatMap(step => /^(?:CO-ROUTINE|MATERIALIZE) (.*)$/.exec(step)?.[1] ?? [])
    const small = [
      'CONSTANT ROW',
      'json_each VIRTUAL TABLE INDEX 1:',
      'wanted VIRTUAL TABLE INDEX 1:',
      ...made,
    ]
    const scans = steps.filter(step => /^SCAN /.test(step) && !small.includes(step.slice('SCAN '.length)))
    assert.deepEqual(scans, [], sql)
  }
  reader.close()
})

test('answers that are asked for again at the same revision read nothing but the data version', async t => {
  const stores = openSqlite({ file: newFile() })
  t.after(() => stores.close())
  const { events } = stores
  await record(events, 1, siteTraffic(5_000, 1))
  for (let i = 0; i < 2; i++) await events.counts(1, everyDay)
  for (const range of [everyDay, { start: 20_000, end: 30_000 }]) {
    const { ran, rows } = await countDuring(() => events.counts(1, range))
    assert.ok(ran.length <= 2 && rows <= 2, ran.join('\n'))
  }
})

test('questions hand over no more rows than they answer with', async t => {
  const stores = openSqlite({ file: newFile() })
  t.after(() => stores.close())
  const { events } = stores
  await record(events, 1, siteTraffic(20_000, 3))
  const names = Object.values(await events.counts(1, everyDay)).flat().length
  const list = () => events.list(1, { range: everyDay, type: null, after: null, limit: 100 })
  assert.ok((await countDuring(list)).rows <= 101)
  const days = (await events.series(1, everyDay, 'day')).length
  const counts = await countDuring(() => events.counts(1, everyDay))
  assert.ok(counts.rows <= (names + 2) * days, `${counts.rows} rows of ${names} names on ${days} days`)
  assert.ok((await countDuring(() => events.series(1, everyDay, 'day'))).rows <= days)
})

test('an event takes no more than 130 bytes on disk, with its names, indexes and roll-ups', async () => {
  const file = newFile()
  const stores = openSqlite({ file })
  const [sites, perSite, perBatch] = [10, 5_000, 500]
  const traffic = Array.from({ length: sites }, (_, i) => siteTraffic(perSite, i * 11))
  // In turns, as sites really record.
  for (let from = 0; from < perSite; from += perBatch)
    await Promise.all(
      traffic.map((events, i) => record(stores.events, i + 1, events.slice(from, from + perBatch))),
    )
  for (let site = 1; site <= sites; site++)
    assert.equal((await listAll(stores.events, site, { limit: perSite + 1 })).length, perSite)
  await stores.close()
  const bytes = statSync(file).size / (sites * perSite)
  assert.ok(bytes <= 130, `${bytes} bytes`)
})
