/** What may be kept in memory: between requests nothing, among requests that came in together what the first of them saw. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { CountingDatabase } from '../../../tests/contract/counting-database.ts'
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { Freshness } from './sqlite-freshness.ts'
import { migrate } from './sqlite-schema.ts'

const file = join(temporaryFolder(), 'pugmark.db')
migrate(file)
const reader = new CountingDatabase(file, { readOnly: true })
const writer = new DatabaseSync(file)
const freshness = new Freshness(reader)
const commit = (): void => writer.exec("UPDATE counter SET value = value + 1 WHERE name = 'accounts'")

test('outside of requests every look sees what was just committed', () => {
  for (let i = 0; i < 3; i++) {
    const before = freshness.version()
    assert.equal(freshness.version(), before)
    commit()
    assert.notEqual(freshness.version(), before)
  }
})

test('requests that came in together share one look, and those of the next round look again', async () => {
  await new Promise(setImmediate)
  reader.ran.length = 0
  freshness.hold()
  const held = freshness.version()
  commit()
  freshness.hold()
  assert.equal(freshness.version(), held)
  assert.equal(reader.ran.length, 1)
  await new Promise(setImmediate)
  assert.notEqual(freshness.version(), held)
})

test('a commit of this process ends what was held', () => {
  freshness.hold()
  const held = freshness.version()
  commit()
  freshness.expire()
  assert.notEqual(freshness.version(), held)
})
