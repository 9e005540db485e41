/** The tables themselves: roll-ups equal the events to the unit in every column, whatever was done, and batches tell who brought them. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { dayMs, hourMs } from '../../../src/domain/date-range.ts'
import { eventTypes, type NewEvent, type Source } from '../../../src/domain/event.ts'
import type { EventStore } from '../../../src/storage/event-store.ts'
import { progressOf } from '../events/imports.ts'
import {
  botEvent,
  exportAll,
  manyEvents,
  noon,
  record,
  someJudgement,
  someProvenance,
} from '../sample-events.ts'
import { openTemporarySqlite } from '../temporary-sqlite.ts'

/** What each roll-up must hold, counted anew from the events. */
const countedAnew: Readonly<Record<string, string>> = {
  by_day: `SELECT e.site, e.at / ${dayMs}, e.subject, j.status, j.verdict, j.robots, count(*),
      sum(ifnull(e.value, 0)), sum(ifnull(e.value_billionths, 0)), sum(ifnull(e.bytes, 0)), sum(ifnull(e.duration_ms, 0))
    FROM event e JOIN judgement j ON j.id = e.judgement GROUP BY 1, 2, 3, 4, 5, 6`,
  by_hour: `SELECT e.site, e.at / ${hourMs}, e.type, j.verdict, count(*)
    FROM event e JOIN judgement j ON j.id = e.judgement GROUP BY 1, 2, 3, 4`,
  by_country: `SELECT e.site, e.at / ${dayMs}, e.country, e.subject, count(*),
      sum(ifnull(e.value, 0)), sum(ifnull(e.value_billionths, 0)) FROM event e GROUP BY 1, 2, 3, 4`,
}

function assertRollUpsEqualEvents(file: string): void {
  const reader = new DatabaseSync(file, { readOnly: true })
  const rows = (sql: string): unknown[] => {
    const statement = reader.prepare(sql)
    statement.setReturnArrays(true)
    return statement.all()
  }
  for (const [table, sql] of Object.entries(countedAnew)) {
    const keys = sql.split('GROUP BY').at(-1)
    assert.deepEqual(rows(`SELECT * FROM ${table} ORDER BY ${keys}`), rows(`${sql} ORDER BY ${keys}`), table)
  }
  // Every name that an event refers to is one of its own site.
  const strays = `SELECT count(*) FROM event e
    WHERE NOT EXISTS (SELECT 1 FROM subject WHERE id = e.subject AND site = e.site AND type = e.type)
      OR NOT EXISTS (SELECT 1 FROM path WHERE id = e.path AND site = e.site)
      OR NOT EXISTS (SELECT 1 FROM origin o WHERE id = e.origin AND site = e.site
           AND (agent = 0 OR EXISTS (SELECT 1 FROM agent WHERE id = o.agent AND site = e.site)))
      OR NOT EXISTS (SELECT 1 FROM judgement WHERE id = e.judgement)`
  assert.deepEqual(rows(strays), [[0]])
  reader.close()
}

const fact = fc.option(fc.nat({ max: 1_000 }))

const visit: fc.Arbitrary<NewEvent> = fc
  .record({
    type: fc.constantFrom(...eventTypes),
    name: fc.constantFrom('one', 'two'),
    path: fc.constantFrom('/', '/a'),
    country: fc.constantFrom('DE', 'US'),
    createdAt: fc.integer({ min: noon - 2 * dayMs, max: noon }).map(time => time - (time % 5_000)),
    source: fc.constantFrom<Source>('hits', 'import', 'vercel'),
    client: fc.constantFrom('192.0.2.1', undefined),
    status: fc.option(fc.constantFrom(200, 404)),
    bytes: fact,
    durationMs: fact,
    cents: fc.option(fc.integer({ min: -500, max: 500 })),
    verdict: fc.option(fc.integer({ min: 1, max: 3 })),
  })
  .map(({ source, client, cents, verdict, ...chosen }) =>
    botEvent({
      ...chosen,
      company: '',
      value: chosen.type === 'conversion' && cents !== null ? cents / 100 : null,
      judgement: { verdict, reason: verdict, evidence: null, robots: null },
      provenance: { ...someProvenance, source, userAgent: 'one agent' },
      ...(client === undefined ? {} : { client }),
    }),
  )

type Step = (stores: readonly EventStore[], site: number, other: number) => Promise<unknown>

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(fc.array(visit, { maxLength: 20 }), { minLength: 1, maxLength: 3 }).map(
      (batches): Step =>
        (stores, site) =>
          Promise.all(batches.map((events, i) => record(stores[i % 2]!, site, events))),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({ from: fc.nat({ max: 20 }), verdict: fc.option(fc.constantFrom(1, 2)) }).map(
      ({ from, verdict }): Step =>
        async ([store], site) => {
          const positions = (await exportAll(store!, site)).slice(from, from + 5)
          const judgement = { ...someJudgement, verdict }
          await store!.amend(
            site,
            positions.map(position => ({ position, judgement })),
            noon,
          )
        },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat({ max: 20 }).map(
      (from): Step =>
        async ([store], site, other) =>
          store!.importSite(other, (await exportAll(store!, site)).slice(from), noon),
    ),
  },
)

test('roll-ups equal the events in every column after recording, reports, amendments, imports and removals', async t => {
  const engine = await openTemporarySqlite()
  t.after(() => engine.close())
  const stores = [engine.stores.events, (await engine.reopen()).events]
  let sites = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), fc.boolean(), async (steps, removes) => {
      const [site, other] = [++sites, ++sites]
      for (const each of steps) await each(stores, site, other)
      assertRollUpsEqualEvents(engine.file)
      if (removes) {
        await stores[1]!.removeSite(site)
        assertRollUpsEqualEvents(engine.file)
      }
    }),
    { numRuns: 40 },
  )
})

test('batches tell which import brought which events, and between which moments they lie', async t => {
  const engine = await openTemporarySqlite()
  t.after(() => engine.close())
  const { events } = engine.stores
  const from = (day: number): NewEvent[] =>
    manyEvents(40).map(each => ({ ...each, createdAt: each.createdAt - day * dayMs }))
  await record(events, 1, from(0))
  await record(events, 1, from(3), { importProgress: progressOf('january') })
  await record(events, 1, from(2), { importProgress: progressOf('january', { offset: 9 }) })
  await record(events, 1, from(9), { importProgress: progressOf('february') })
  await record(events, 1, [])
  await record(events, 1, from(1))
  await record(events, 2, from(1), { importProgress: progressOf('january') })

  const reader = new DatabaseSync(engine.file, { readOnly: true })
  const found = reader
    .prepare(
      `SELECT b.import, count(*) AS events, min(e.at) >= min(b.min_at) AND max(e.at) <= max(b.max_at) AS isWithin
       FROM event e JOIN batch b ON b.site = e.site AND e.id BETWEEN b.first_id AND b.last_id
       WHERE e.site = 1 GROUP BY b.import ORDER BY b.import`,
    )
    .all()
  assert.deepEqual(
    found.map(row => ({ ...row })),
    [
      { import: '', events: 80, isWithin: 1 },
      { import: 'february', events: 40, isWithin: 1 },
      { import: 'january', events: 80, isWithin: 1 },
    ],
  )
  const told = reader.prepare('SELECT sum(events) AS events FROM batch WHERE site = 1').get()
  assert.equal(told?.events, 200)
  reader.close()
})
