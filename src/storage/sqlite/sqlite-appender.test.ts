/** What a commit costs the disk is counted, since time varies with the machine. */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { botEvent, noon } from '../../../tests/contract/sample-events.ts'
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { SqliteAppender } from './sqlite-appender.ts'
import { migrate } from './sqlite-schema.ts'
import { singleEventOf } from './sqlite-single-event.ts'

test('single events for a thousand sites write three pages a commit of sixteen', () => {
  const file = join(temporaryFolder(), 'pugmark.db')
  migrate(file)
  const database = new DatabaseSync(file)
  database.exec('PRAGMA wal_autocheckpoint = 0')
  const appender = new SqliteAppender(database)
  let site = 0
  const commit = (): void => {
    database.exec('BEGIN IMMEDIATE')
    appender.begin()
    for (let i = 0; i < 16; i++) {
      site = (site + 37) % 1_000
      const batch = { site: site + 1, account: 1, now: noon, monthlyLimit: null, events: [botEvent()] }
      const intake = { arrival: 'events', ignored: {}, duplicates: 0 } as const
      assert.equal(appender.appendOne(singleEventOf({ ...batch, intake }, () => 0)!).outcome, 'recorded')
    }
    appender.flush()
    database.exec('COMMIT')
  }
  // Names and states of all sites are known then.
  for (let i = 0; i < 100; i++) commit()
  const before = statSync(`${file}-wal`).size
  const commits = 400
  for (let i = 0; i < commits; i++) commit()
  const pages = (statSync(`${file}-wal`).size - before) / (4_096 + 24)
  database.close()
  assert.ok(pages / commits <= 3.2, `${pages / commits} pages a commit`)
})
