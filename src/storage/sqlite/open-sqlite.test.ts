/** Opening a file: alone, at the same time as others, and a file that this Pugmark must leave alone. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { botEvent, record } from '../../../tests/contract/sample-events.ts'
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { openSqlite } from './open-sqlite.ts'

const folder = temporaryFolder()
let files = 0
const newFile = (): string => join(folder, String(++files), 'pugmark.db')

test('the folder and the file are made, and what was recorded is there at the next opening', async () => {
  const file = newFile()
  const first = openSqlite({ file })
  await record(first.events, 1, [botEvent()])
  await first.close()
  const second = openSqlite({ file })
  assert.equal((await second.events.counts(1, { start: 0, end: 30_000 })).bot[0]?.count, 1)
  await second.close()
})

test('what is closed stands in one file, with no log to replay', async () => {
  const [file, copy] = [newFile(), join(folder, 'copy.db')]
  const stores = openSqlite({ file })
  await record(stores.events, 1, [botEvent()])
  await stores.close()
  assert.equal(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0, 0)
  copyFileSync(file, copy)
  const copied = openSqlite({ file: copy })
  assert.equal((await copied.events.counts(1, { start: 0, end: 30_000 })).bot[0]?.count, 1)
  await copied.close()
})

test('a store that nobody writes to opens, answers and closes without a writer', async () => {
  const stores = openSqlite({ file: newFile() })
  assert.deepEqual(await stores.accounts.listAccounts(), [])
  await stores.close()
})

test('a file of a newer Pugmark is refused, by its name, and stays as it is', async () => {
  const file = newFile()
  await openSqlite({ file }).close()
  const newer = new DatabaseSync(file)
  newer.exec('PRAGMA user_version = 1000')
  assert.throws(() => openSqlite({ file }), {
    message: new RegExp(
      `^${file.replaceAll('.', '\\.')} has schema version 1000; this Pugmark knows \\d+\\.`,
    ),
  })
  assert.equal(newer.prepare('PRAGMA user_version').get()?.user_version, 1000)
  newer.exec('BEGIN IMMEDIATE; ROLLBACK')
  newer.close()
})

/** Migrates one file after the other, each at the same moment as the other threads do. */
const migratingThread = `
  import { workerData } from 'node:worker_threads'
  const { migrate } = await import(workerData.schema)
  const waiting = new Int32Array(workerData.waiting)
  for (const [round, file] of workerData.files.entries()) {
    const all = (round + 1) * workerData.threads
    if (Atomics.add(waiting, 0, 1) === all - 1) Atomics.notify(waiting, 0)
    for (let seen; (seen = Atomics.load(waiting, 0)) < all; ) Atomics.wait(waiting, 0, seen, 50)
    migrate(file)
  }
`

/** Resolves with the exit codes; a thread that fails ends all. */
async function migrateInThreads(count: number, migrated: readonly string[], waiting: SharedArrayBuffer) {
  const source = new URL(`data:text/javascript,${encodeURIComponent(migratingThread)}`)
  const schema = new URL('./sqlite-schema.ts', import.meta.url).href
  const workerData = { threads: count, files: migrated, waiting, schema }
  const threads = Array.from({ length: count }, () => new Worker(source, { workerData }))
  try {
    return (await Promise.all(threads.map(thread => once(thread, 'exit')))).flat()
  } finally {
    await Promise.all(threads.map(thread => thread.terminate()))
  }
}

test('many that open a new file at the same moment all succeed', async () => {
  const many = Array.from({ length: 10 }, (_, i) => join(folder, `many-${i}.db`))
  assert.deepEqual(await migrateInThreads(3, many, new SharedArrayBuffer(4)), [0, 0, 0])
  for (const file of many) await openSqlite({ file }).close()
})

test('who opens a new file waits for another who is about to write its first page', async () => {
  const file = join(folder, 'reserved.db')
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  const waiting = new SharedArrayBuffer(4)
  const migrated = migrateInThreads(1, [file], waiting)
  while (Atomics.load(new Int32Array(waiting), 0) === 0) await new Promise(setImmediate)
  await new Promise(resolve => setTimeout(resolve, 50))
  other.exec('COMMIT')
  other.close()
  assert.deepEqual(await migrated, [0])
})
