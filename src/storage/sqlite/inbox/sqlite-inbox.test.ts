/** What waits in the inbox must be in every answer, survive everything, and never grow beyond its bounds. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { assertRollUpsEqualList } from '../../../../tests/contract/event-model.ts'
import {
  batchOf,
  botEvent,
  conversionEvent,
  everyDay,
  listAll,
  manyEvents,
  noon,
  record,
  referralEvent,
  someProvenance,
} from '../../../../tests/contract/sample-events.ts'
import { type OpenedSqlite, openTemporarySqlite } from '../../../../tests/contract/temporary-sqlite.ts'
import { temporaryFolder } from '../../../../tests/support/temporary-folder.ts'
import { dayMs, dayOf } from '../../../domain/date-range.ts'
import type { Arrival, NewEvent } from '../../../domain/event.ts'
import type { EventStore } from '../../event-store.ts'
import { allCounts } from '../../series.ts'
import { openSqlite } from '../open-sqlite.ts'
import { SqliteAppender } from '../sqlite-appender.ts'
import { packEvents } from '../sqlite-packed-events.ts'
import { Inbox } from './sqlite-inbox.ts'

describe('what waits in the inbox', () => {
  let engine: OpenedSqlite
  let raw: DatabaseSync
  before(async () => {
    engine = await openTemporarySqlite()
    raw = new DatabaseSync(engine.file)
  })
  after(async () => {
    raw.close()
    await engine.close()
  })
  const waiting = (site: number): number =>
    Number(
      raw
        .prepare(
          `SELECT coalesce(sum(events), 0) AS events FROM inbox
           WHERE site = ? AND id > (SELECT coalesce(max(filed), 0) FROM site_state WHERE site = inbox.site)`,
        )
        .get(site)?.events,
    )

  test('is counted where it lies, and filed by the first question about its site that wants more, and by no other', async () => {
    const { events } = engine.stores
    await record(events, 1, manyEvents(30))
    await record(events, 2, manyEvents(20))
    const [counts, series] = [await events.countsByName(1, everyDay), await events.series(1, everyDay, 'day')]
    const revision = await events.revision(1)
    assert.equal(counts.bot[0]!.count, 30)
    assert.deepEqual([waiting(1), waiting(2)], [30, 20])
    assert.equal((await listAll(events, 1)).length, 30)
    assert.deepEqual([waiting(1), waiting(2)], [0, 20])
    assert.deepEqual(await events.countsByName(1, everyDay), counts)
    assert.deepEqual(await events.series(1, everyDay, 'day'), series)
    assert.equal(await events.revision(1), revision)
  })

  test('is filed before it is counted where it is very many rows', async () => {
    const { events } = engine.stores
    for (const rows of [1_000, 1]) {
      await Promise.all(Array.from({ length: rows }, () => record(events, 10, [botEvent()])))
      if (rows === 1_000) assert.equal(waiting(10), rows)
      await events.series(10, everyDay, 'day')
    }
    assert.equal(waiting(10), 0)
    assert.equal((await events.countsByName(10, everyDay)).bot[0]!.count, 1_001)
  })

  test('is in the answers of another process, and in those after it filed', async () => {
    const { events } = engine.stores
    const other = (await engine.reopen()).events
    for (let round = 1; round <= 3; round++) {
      await record(events, 3, manyEvents(10))
      assert.equal((await other.countsByName(3, everyDay)).bot[0]!.count, round * 20 - 10)
      await record(other, 3, manyEvents(10))
      assert.equal((await events.countsByName(3, everyDay)).bot[0]!.count, round * 20)
    }
  })

  test('changes the revision, which no two states share', async () => {
    const { events } = engine.stores
    const seen = new Set<number>()
    for (let i = 0; i < 10; i++) {
      await record(events, 4, manyEvents(3))
      seen.add(await events.revision(4))
    }
    assert.equal(seen.size, 10)
  })

  test('is filed once nothing was written for a while', async () => {
    await record(engine.stores.events, 5, manyEvents(10))
    assert.equal(waiting(5), 10)
    for (let tries = 0; waiting(5) > 0; tries++) {
      assert.ok(tries < 200, 'still waiting')
      await sleep(50)
    }
    assert.equal((await listAll(engine.stores.events, 5)).length, 10)
  })

  test('goes away with its site, and nothing is told about it before', async () => {
    const { events } = engine.stores
    await record(events, 6, manyEvents(10))
    await events.removeSite(6)
    assert.equal(waiting(6), 0)
    assert.deepEqual(await listAll(events, 6), [])
    assert.equal((await events.append(batchOf(6, manyEvents(1)))).outcome, 'site-removed')
  })

  test('is matched with what another way in reports of the same requests', async () => {
    const { events } = engine.stores
    const seenBy = (arrival: Arrival): NewEvent[] =>
      manyEvents(50, { client: '203.0.113.7', provenance: { ...someProvenance, arrival } })
    await record(events, 7, seenBy('hits'))
    assert.equal(waiting(7), 50)
    await record(events, 7, seenBy('import'))
    assert.equal((await listAll(events, 7)).length, 50)
  })

  test('leaves nothing behind when its site is removed in the same transaction', async () => {
    const { events } = engine.stores
    const intake = { arrival: 'import', ignored: { noise: 1 }, duplicates: 0 } as const
    await record(events, 8, manyEvents(10), { intake })
    const question = Promise.allSettled([events.countsByName(8, everyDay)])
    const batch = batchOf(8, manyEvents(4_001), { intake })
    await Promise.all([events.append(batch), events.removeSite(8), question])
    assert.deepEqual(await events.health(8), [])
    assert.deepEqual(await listAll(events, 8), [])
  })

  test('is filed in time also after a transaction was rolled back', async () => {
    const { events } = engine.stores
    await record(events, 9, manyEvents(10))
    await assert.rejects(Promise.resolve(events.append(batchOf(9, manyEvents(1), { now: 0.5 }))), /Storage/)
    assert.equal(waiting(9), 10)
    for (let tries = 0; waiting(9) > 0; tries++) {
      assert.ok(tries < 200, 'still waiting')
      await sleep(50)
    }
  })

  test('is left to a process that records by one that does not', async () => {
    const idle = (await engine.reopen()).events
    await record(idle, 20, manyEvents(1))
    const sites = Array.from({ length: 200 }, (_, i) => 100 + i)
    for (const end = performance.now() + 1_800; performance.now() < end; await sleep(5))
      await Promise.all(sites.map(site => record(engine.stores.events, site, manyEvents(1))))
    const filed = raw
      .prepare('SELECT count(*) AS sites FROM site_state WHERE site >= 100 AND filed > 0')
      .get()
    assert.ok(Number(filed?.sites) < 100, `${filed?.sites} sites were filed`)
  })

  test('is filed when a store is closed', async () => {
    const file = join(temporaryFolder(), 'pugmark.db')
    const closing = openSqlite({ file })
    for (let site = 1; site <= 50; site++) await record(closing.events, site, manyEvents(site))
    await closing.close()
    const database = new DatabaseSync(file)
    assert.equal(database.prepare('SELECT count(*) AS rows FROM inbox').get()?.rows, 0)
    assert.equal(database.prepare('SELECT sum(events) AS events FROM site_usage').get()?.events, 1275)
    database.close()
    const reopened = openSqlite({ file })
    for (let site = 1; site <= 50; site++) assert.equal((await listAll(reopened.events, site)).length, site)
    await reopened.close()
  })
})

describe('the inbox stays within its bounds', () => {
  /** Appends batches without a writer thread, some a transaction; returns the most rows and events that ever waited. */
  async function mostWaiting(
    batches: number,
    perTransaction: number,
    batch: (i: number) => { site: number; events: NewEvent[] },
  ): Promise<{ rows: number; events: number }> {
    const engine = await openTemporarySqlite()
    const database = new DatabaseSync(engine.file)
    database.exec('PRAGMA synchronous = OFF')
    const appender = new SqliteAppender(database)
    const count = database.prepare('SELECT count(*) AS rows, coalesce(sum(events), 0) AS events FROM inbox')
    const most = { rows: 0, events: 0 }
    // Counting looks at each row.
    const countedEach = Math.ceil(batches / perTransaction / 100)
    let transactions = 0
    const inTransaction = (work: () => void): void => {
      database.exec('BEGIN IMMEDIATE')
      appender.begin()
      work()
      appender.flush()
      database.exec('COMMIT')
    }
    for (let i = 0; i < batches; ) {
      inTransaction(() => {
        do {
          const { site, events } = batch(i)
          const packed = packEvents(events, () => 0)
          assert.equal(appender.append({ ...batchOf(site, []), events: packed }).outcome, 'recorded')
        } while (++i % perTransaction > 0 && i < batches)
      })
      if (appender.hasFull) inTransaction(() => appender.fileFull())
      if (++transactions % countedEach > 0) continue
      const { rows, events } = count.get() as { rows: number; events: number }
      most.rows = Math.max(most.rows, rows)
      most.events = Math.max(most.events, events)
    }
    const sites = database.prepare('SELECT site FROM site_state UNION SELECT site FROM inbox').all()
    let recorded = 0
    for (const { site } of sites) recorded += await assertRollUpsEqualList(engine.stores.events, Number(site))
    assert.equal(recorded, batches * batch(0).events.length)
    database.close()
    await engine.close()
    return most
  }

  test('of one site', async () => {
    const most = await mostWaiting(200, 7, () => ({ site: 1, events: manyEvents(500) }))
    assert.ok(most.events > 0 && most.events < 8_000, `${most.events} events`)
  })

  test('of single events for many sites', async () => {
    const most = await mostWaiting(130_000, 101, i => ({
      site: 1 + ((i * 37) % 100),
      events: [botEvent()],
    }))
    assert.ok(most.rows > 80_000 && most.rows <= 202_000, `${most.rows} rows`)
  })

  test('of sites that began to wait together, of which each has its turn', async () => {
    const engine = await openTemporarySqlite()
    const database = new DatabaseSync(engine.file)
    const inbox = new Inbox(database)
    database.exec('BEGIN')
    inbox.begin()
    const turns: { site: number; at: number }[] = []
    for (let id = 1; id <= 330_000; id++) {
      const row = { type: 0, ways: 0, recordedAt: noon, arrival: null }
      const event = { ...{ id, time: noon, origin: 1, path: 1 }, ...{ country: 0, sighting: 0, value: null } }
      inbox.putOne(id % 100, row, event)
      const site = inbox.takeOverdue()
      if (site === undefined) continue
      turns.push({ site, at: id })
      inbox.take(site, 0)
    }
    const pauses = turns.slice(1).map(({ at }, i) => at - turns[i]!.at)
    assert.ok(turns[0]!.at >= 100_000 && turns[99]!.at <= 202_000, JSON.stringify(turns[99]))
    assert.ok(Math.min(...pauses) >= 990 && Math.max(...pauses) <= 1_100, JSON.stringify(pauses))
    for (const start of [0, 100])
      assert.equal(new Set(turns.slice(start, start + 100).map(({ site }) => site)).size, 100)
    database.exec('ROLLBACK')
    database.close()
    await engine.close()
  })
})

test('who files nothing does not go on listing what others have filed', async () => {
  const engine = await openTemporarySqlite()
  const [database, other] = [new DatabaseSync(engine.file), new DatabaseSync(engine.file)]
  const inbox = new Inbox(database)
  const rows = 80_000
  for (let round = 0; round < 6; round++) {
    const [first, last] = [round * rows + 1, (round + 1) * rows]
    other.exec(
      `BEGIN; DELETE FROM inbox; WITH RECURSIVE row (id) AS (SELECT ${first} UNION ALL SELECT id + 1 FROM row WHERE id < ${last})
       INSERT INTO inbox SELECT id, id % 100, 0, 1, 0, 0, NULL, x'' FROM row; COMMIT`,
    )
    inbox.begin()
    assert.ok(inbox.events >= rows && inbox.events <= 300_000, `${inbox.events} are listed`)
  }
  database.close()
  other.close()
  await engine.close()
})

test('accounts beyond what is remembered do not make a quota forget events of its transaction', async () => {
  const engine = await openTemporarySqlite()
  const database = new DatabaseSync(engine.file)
  const appender = new SqliteAppender(database)
  const [none, one] = [packEvents([], () => 0), packEvents([botEvent()], () => 0)]
  const spend = (): string =>
    appender.append({ ...batchOf(1, []), account: 1, monthlyLimit: 1, events: one }).outcome
  database.exec('BEGIN IMMEDIATE')
  appender.begin()
  assert.equal(spend(), 'recorded')
  for (let account = 2; account <= 100_001; account++)
    appender.append({ ...batchOf(1, []), account, events: none })
  assert.equal(spend(), 'over-quota')
  appender.flush()
  database.exec('COMMIT')
  database.close()
  await engine.close()
})

const arrivals: readonly Arrival[] = ['hits', 'events', 'import']
const clients = ['203.0.113.7', '203.0.113.8', undefined]
const sentEvent = fc.record({
  type: fc.nat(2),
  name: fc.nat(3),
  path: fc.nat(3),
  second: fc.nat(40),
  day: fc.nat(1),
  client: fc.nat(2),
})
const step = fc.oneof(
  fc.record({
    site: fc.integer({ min: 1, max: 2 }),
    arrival: fc.nat(2),
    events: fc.array(sentEvent, { maxLength: 8 }),
  }),
  fc.record({ ask: fc.integer({ min: 1, max: 2 }), isFiled: fc.boolean() }),
)

test('whenever it is filed, the same is stored', async () => {
  let base = 0
  const [early, late] = [await openTemporarySqlite(), await openTemporarySqlite()]
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async steps => {
      base += 10
      for (const [i, chosen] of steps.entries()) {
        if ('ask' in chosen) {
          const site = base + chosen.ask
          if (chosen.isFiled) await late.stores.events.extent(site)
          assert.deepEqual(
            await countedOf(late.stores.events, site),
            await countedOf(early.stores.events, site),
          )
          continue
        }
        const events = chosen.events.map(event => eventFrom(event, arrivals[chosen.arrival]!))
        const intake = { arrival: arrivals[chosen.arrival]!, ignored: { noise: i }, duplicates: 1 }
        // Without a key a batch of nothing is not stored with the others.
        const idempotency = { key: `${i}`, bodyHash: '', response: '' }
        for (const { stores } of [early, late])
          await record(stores.events, base + chosen.site, events, {
            ...{ intake, idempotency },
            now: noon + i * 1_000,
          })
        await early.stores.events.extent(base + chosen.site)
      }
      for (const site of [base + 1, base + 2])
        assert.deepEqual(
          await everythingOf(late.stores.events, site),
          await everythingOf(early.stores.events, site),
        )
    }),
    { numRuns: 60 },
  )
  await Promise.all([early.close(), late.close()])
})

test('one event after another is stored as the same batches are that go the way of all', async () => {
  let base = 0
  const [alone, among] = [await openTemporarySqlite(), await openTemporarySqlite()]
  const single = fc.record({
    ...{ site: fc.integer({ min: 1, max: 2 }), arrival: fc.nat(2), event: sentEvent },
    ...{ isAsked: fc.boolean(), limit: fc.option(fc.nat(6)) },
  })
  await fc.assert(
    fc.asyncProperty(fc.array(single, { maxLength: 12 }), async singles => {
      base += 10
      for (const [i, { site, arrival, event, isAsked, limit }] of singles.entries()) {
        const events = [eventFrom(event, arrivals[arrival]!)]
        const common = {
          ...{ intake: { arrival: arrivals[arrival]!, ignored: {}, duplicates: 0 } },
          ...{ now: noon + i * 1_000, account: base, monthlyLimit: limit },
        }
        assert.deepEqual(
          await alone.stores.events.append(batchOf(base + site, events, common)),
          // Names of requests, be they none, ask for more than a single event has.
          await among.stores.events.append(batchOf(base + site, events, { ...common, onceKeys: [] })),
        )
        if (isAsked) await alone.stores.events.extent(base + site)
      }
      for (const site of [base + 1, base + 2])
        assert.deepEqual(
          await everythingOf(alone.stores.events, site),
          await everythingOf(among.stores.events, site),
        )
    }),
    { numRuns: 60 },
  )
  await Promise.all([alone.close(), among.close()])
})

const eventFrom = (
  { type, name, path, second, day, client }: typeof sentEvent extends fc.Arbitrary<infer Sent> ? Sent : never,
  arrival: Arrival,
): NewEvent =>
  [botEvent, referralEvent, conversionEvent][type]!({
    name: `name ${name}`,
    path: `/${path}`,
    createdAt: noon - day * dayMs + second * 1_000,
    value: type === 2 ? name / 4 : null,
    provenance: { ...someProvenance, arrival },
    ...(clients[client] && { client: clients[client] }),
  })

const lastDays = { start: dayOf(noon) - 2, end: dayOf(noon) }

/** What nothing has to be filed for. */
async function countedOf(events: EventStore, site: number): Promise<unknown> {
  return {
    revision: await events.revision(site),
    counts: await events.countsByName(site, lastDays),
    hours: allCounts(await events.series(site, lastDays, 'hour'), lastDays, 'hour'),
  }
}

async function everythingOf(events: EventStore, site: number): Promise<unknown> {
  const counted = await countedOf(events, site)
  const listed = (await listAll(events, site)).map(({ id: _, ...event }) => event)
  const range = lastDays
  const filter = { names: null, path: null, country: null }
  const inOrder = (rows: readonly unknown[]): string[] => rows.map(row => JSON.stringify(row)).sort()
  const facets = await events.facets(site, { range, filter, pagesMax: 100, pageOrder: null })
  return {
    total: await assertRollUpsEqualList(events, site),
    listed: inOrder(listed),
    counted,
    facets: [inOrder(facets.names), inOrder(facets.pages), facets.countries],
    attribution: inOrder(await events.attribution(site, range)),
    health: await events.health(site),
  }
}
