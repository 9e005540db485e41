/** What is filed from memory must be what the table holds, whoever has written, filed or rolled back meanwhile. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { temporaryFolder } from '../../../../tests/support/temporary-folder.ts'
import { allocateColumns, conversionType } from '../chunks/sqlite-event-columns.ts'
import { sightingOf, wayOf } from '../sightings/sqlite-sighting.ts'
import { EventIds } from '../sqlite-event-ids.ts'
import { migrate } from '../sqlite-schema.ts'
import { Inbox } from './sqlite-inbox.ts'
import { plainNote } from './sqlite-inbox-note.ts'

const site = fc.integer({ min: 1, max: 3 })
const anyStep = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      put: site,
      type: fc.nat(2),
      arrival: fc.option(fc.nat(4)),
      client: fc.nat(1),
      /** 1 goes the way of a batch as well. */
      count: fc.constantFrom(0, 0, 0, 0, 1, 2),
    }),
  },
  { weight: 2, arbitrary: fc.record({ file: site }) },
  { weight: 1, arbitrary: fc.constant({ rollsBack: true }) },
)
const anyTransaction = fc.record({ by: fc.nat(1), steps: fc.array(anyStep, { maxLength: 8 }) })

test('a site is filed from memory as from the table', () => {
  const file = join(temporaryFolder(), 'pugmark.db')
  migrate(file)
  const databases = [0, 1].map(() => new DatabaseSync(file))
  for (const database of databases) database.exec('PRAGMA synchronous = OFF')
  const putState = databases.map(database =>
    database.prepare('INSERT OR REPLACE INTO site_state (site, revision, filed) VALUES (?, 0, ?)'),
  )
  const getState = databases.map(database => database.prepare('SELECT filed FROM site_state WHERE site = ?'))
  let taken = 0
  fc.assert(
    fc.property(fc.array(anyTransaction, { maxLength: 40 }), transactions => {
      databases[0]!.exec('DELETE FROM inbox; DELETE FROM site_state')
      const processes = databases.map(database => ({
        inbox: new Inbox(database),
        ids: new EventIds(database),
      }))
      for (const { by, steps } of transactions) {
        const [database, { inbox, ids }] = [databases[by]!, processes[by]!]
        database.exec('BEGIN IMMEDIATE')
        if (inbox.begin()) ids.forget()
        let rollsBack = false
        for (const step of steps) {
          if ('rollsBack' in step) rollsBack = true
          else if ('file' in step) {
            const filed = Number(getState[by]!.get(step.file)?.filed ?? 0)
            const fresh = new Inbox(database)
            fresh.begin()
            const found = inbox.take(step.file, filed)
            assert.deepEqual(found, fresh.take(step.file, filed))
            putState[by]!.run(step.file, found.filed)
            inbox.sweep()
            taken += found.recorded.length
          } else put(inbox, ids, step)
        }
        ids.flush()
        database.exec(rollsBack ? 'ROLLBACK' : 'COMMIT')
        if (!rollsBack) continue
        inbox.discard()
        ids.forget()
      }
    }),
    { numRuns: 300 },
  )
  assert.ok(taken > 1_000, `${taken} rows were taken`)
  for (const database of databases) database.close()
})

function put(
  inbox: Inbox,
  ids: EventIds,
  step: { put: number; type: number; arrival: number | null; client: number; count: number },
): void {
  const { type, arrival, count } = step
  const first = ids.take(Math.max(count, 1))
  const recordedAt = 1_700_000_000_000 + first
  const ways = step.client === 0 ? 0 : wayOf(arrival ?? 1)
  const eventAt = (id: number) => ({
    ...{ time: recordedAt - 7, id, origin: id % 5, path: id % 7, country: 17_477 },
    ...{ sighting: ways === 0 ? 0 : sightingOf(id % 100, ways), value: id % 3 === 0 ? null : id / 4 },
  })
  if (count === 0) {
    inbox.putOne(step.put, { type, ways, recordedAt, arrival }, eventAt(first))
    return
  }
  const columns = allocateColumns(count, type === conversionType)
  for (let i = 0; i < count; i++) {
    const { value, ...event } = eventAt(first + i)
    for (const [name, number] of Object.entries(event)) columns[name as keyof typeof event][i] = number
    if (columns.value) columns.value[i] = value ?? Number.NaN
  }
  const notes = arrival === null ? [] : [plainNote(arrival, count, recordedAt)]
  inbox.put(step.put, [{ type, columns, ways, recordedAt, notes }])
}
