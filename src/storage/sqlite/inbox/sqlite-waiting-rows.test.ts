/** A reader's view of the inbox must be of one moment, whatever others commit meanwhile, and must not grow without bound. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { test } from 'node:test'
import { batchOf, botEvent, noon } from '../../../../tests/contract/sample-events.ts'
import { openTemporarySqlite } from '../../../../tests/contract/temporary-sqlite.ts'
import { temporaryFolder } from '../../../../tests/support/temporary-folder.ts'
import { dayMs, dayOf } from '../../../domain/date-range.ts'
import type { CountsByName } from '../../event-store.ts'
import { allCounts, type Series } from '../../series.ts'
import { IntakeNotes } from '../health/sqlite-intake-notes.ts'
import { SqliteAppender } from '../sqlite-appender.ts'
import { createSqliteEventStore } from '../sqlite-event-store.ts'
import { Freshness } from '../sqlite-freshness.ts'
import { packEvents } from '../sqlite-packed-events.ts'
import { migrate } from '../sqlite-schema.ts'
import { SqliteWriter } from '../sqlite-writer.ts'
import { WaitingRows } from './sqlite-waiting-rows.ts'

/** During whose statements others commit. */
class InterruptedDatabase extends DatabaseSync {
  /** Called before each statement. */
  meanwhile = (): void => {}

  override prepare(sql: string): StatementSync {
    const statement = super.prepare(sql)
    for (const name of ['get', 'all', 'iterate'] as const) {
      const run = statement[name].bind(statement) as (...values: unknown[]) => unknown
      const interrupted = (...values: unknown[]): unknown => {
        this.meanwhile()
        return run(...values)
      }
      Object.assign(statement, { [name]: interrupted })
    }
    return statement
  }
}

test('whatever another process commits in the middle of a question, its answer is of one moment, and its revision not newer', async t => {
  const engine = await openTemporarySqlite()
  const database = new DatabaseSync(engine.file)
  const reader = new InterruptedDatabase(engine.file, { readOnly: true })
  const appender = new SqliteAppender(database)
  const commit = (change: () => void): void => {
    database.exec('BEGIN IMMEDIATE')
    appender.begin()
    change()
    appender.flush()
    database.exec('COMMIT')
  }
  const freshness = new Freshness(reader)
  const writer = new SqliteWriter(engine.file, () => freshness.expire())
  const events = createSqliteEventStore(reader, writer, freshness, new IntakeNotes(writer), 2 ** 20)
  t.after(async () => {
    for (const opened of [writer, database, reader, engine]) await opened.close()
  })
  // Of two spans and of a third, at random.
  let pairs = 0
  const recordPair = (): void => {
    const createdAt = noon - (pairs++ % 3) * 40 * dayMs
    const pair = [botEvent({ createdAt }), botEvent({ createdAt: noon - 200 * dayMs })]
    commit(() => appender.append({ ...batchOf(1, []), events: packEvents(pair, () => 0) }))
  }
  const file = (): void => commit(() => appender.file(1))
  const changes = [
    recordPair,
    file,
    () => [recordPair(), file()],
    () => [file(), recordPair()],
    () => [recordPair(), file(), recordPair()],
  ]
  const ask = () => {
    const revision = events.revision(1) as number
    const range = { start: dayOf(noon) - 200, end: dayOf(noon) }
    const { bot } = events.countsByName(1, range) as CountsByName
    const days = allCounts(events.series(1, range, 'day') as Series, range, 'day')
    return { revision, count: bot[0]?.count ?? 0, ofDays: days.reduce((sum, count) => sum + count, 0) }
  }
  recordPair()
  let reached = 0
  for (const change of changes) {
    for (const before of [() => {}, recordPair, file]) {
      for (let at = 1; at <= 14; at++) {
        before()
        await new Promise(setImmediate)
        const least = 2 * pairs
        let statements = 0
        reader.meanwhile = () => {
          if (++statements !== at) return
          reached = Math.max(reached, at)
          change()
        }
        if (at % 2 === 0) freshness.hold()
        const during = ask()
        reader.meanwhile = () => {}
        await new Promise(setImmediate)
        const after = ask()
        assert.deepEqual([after.count, after.ofDays], [2 * pairs, 2 * pairs])
        for (const count of [during.count, during.ofDays])
          assert.ok(count >= least && count <= 2 * pairs && count % 2 === 0, `${count} of ${least}`)
        // Who keeps the answer under its revision must not keep it for the next state.
        if (during.revision === after.revision) assert.deepEqual(during, after)
      }
    }
  }
  assert.ok(reached >= 10, `questions had ${reached} statements`)
})

test('a reader does not go on listing what others have filed', () => {
  const file = join(temporaryFolder(), 'pugmark.db')
  migrate(file)
  const [reader, other] = [new DatabaseSync(file, { readOnly: true }), new DatabaseSync(file)]
  const freshness = new Freshness(reader)
  const rows = new WaitingRows(reader, freshness)
  const perRound = 30_000
  for (let round = 0; round < 6; round++) {
    const [first, last] = [round * perRound + 1, (round + 1) * perRound]
    other.exec(
      `BEGIN; DELETE FROM inbox; WITH RECURSIVE row (id) AS (SELECT ${first} UNION ALL SELECT id + 1 FROM row WHERE id < ${last})
       INSERT INTO inbox SELECT id, id % 100, 0, 1, 0, 0, NULL, x'' FROM row; COMMIT`,
    )
    const listed = Array.from({ length: 100 }, (_, site) => rows.of(site)).flat()
    assert.equal(listed.filter(({ id }) => id >= first).length, perRound)
    assert.ok(listed.length <= 2 * perRound, `${listed.length} are listed`)
  }
  reader.close()
  other.close()
})
