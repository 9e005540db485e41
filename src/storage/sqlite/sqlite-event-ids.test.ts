/** Readers find what is new by its id, so no transaction may give a lower one than a transaction before it, whichever process began it. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { EventIds } from './sqlite-event-ids.ts'
import { migrate } from './sqlite-schema.ts'

interface Turn {
  readonly by: number
  readonly counts: number[]
  readonly isRolledBack: boolean
  /** Ends before its next turn, and begins anew. */
  readonly isKilled: boolean
}

const anyTurn: fc.Arbitrary<Turn> = fc.record({
  by: fc.nat(1),
  counts: fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 1000 })), {
    maxLength: 3,
  }),
  isRolledBack: fc.boolean(),
  isKilled: fc.boolean(),
})

test('ids rise over all transactions of all processes, whatever is rolled back and whoever is killed', () => {
  const file = join(temporaryFolder(), 'pugmark.db')
  migrate(file)
  const databases = [0, 1].map(() => new DatabaseSync(file))
  for (const database of databases) database.exec('PRAGMA synchronous = OFF')
  fc.assert(
    fc.property(fc.array(anyTurn, { maxLength: 60 }), turns => {
      const processes = databases.map(database => new EventIds(database))
      let [last, lastBy] = [0, -1]
      for (const { by, counts, isRolledBack, isKilled } of turns) {
        const [database, ids] = [databases[by]!, processes[by]!]
        database.exec('BEGIN IMMEDIATE')
        if (by !== lastBy) ids.forget()
        let next = last
        for (const count of counts) {
          const first = ids.take(count)
          assert.ok(first > next, `${first} after ${next}`)
          next = first + count - 1
        }
        ids.flush()
        database.exec(isRolledBack ? 'ROLLBACK' : 'COMMIT')
        if (isRolledBack) ids.forget()
        else [last, lastBy] = [next, by]
        if (isKilled) processes[by] = new EventIds(database)
      }
      // The next run begins where this one ended, too.
      databases[0]!.exec("UPDATE counter SET value = 1 WHERE name = 'event-id'")
    }),
  )
  for (const database of databases) database.close()
})
