/** Opening must work for several processes at once, and must not change the files of other programs and versions. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { botEvent, record } from '../../../tests/contract/sample-events.ts'
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { openSqlite } from './open-sqlite.ts'

const folder = temporaryFolder()
let files = 0
const newFile = (): string => join(folder, String(++files), 'pugmark.db')
/** The file is not there yet, but its folder is. */
const newFileInFolder = (): string => {
  const file = newFile()
  mkdirSync(dirname(file))
  return file
}

test('the folder and the file are made, and what was recorded is there at the next opening', async () => {
  const file = newFile()
  const first = openSqlite({ file })
  await record(first.events, 1, [botEvent()])
  await first.close()
  const second = openSqlite({ file })
  assert.equal((await second.events.counts(1, { start: 0, end: 30_000 })).bot[0]?.count, 1)
  await second.close()
})

test('a closed store is one file, with no log to replay', async () => {
  const [file, copy] = [newFile(), newFileInFolder()]
  const stores = openSqlite({ file })
  await record(stores.events, 1, [botEvent()])
  await stores.close()
  assert.equal(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0, 0)
  copyFileSync(file, copy)
  const copied = openSqlite({ file: copy })
  assert.equal((await copied.events.counts(1, { start: 0, end: 30_000 })).bot[0]?.count, 1)
  await copied.close()
})

test('a store without writes opens, answers and closes without a writer', async () => {
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

/** Every file of a folder with a hash of its bytes. */
const contentsOf = (path: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(path)
      .sort()
      .map(name => [name, hash('sha256', readFileSync(join(path, name)))]),
  )

const otherContents = {
  'an older product wrote': 'CREATE TABLE chunk (data BLOB); PRAGMA user_version = 9',
  'the first version of an older product wrote': 'CREATE TABLE chunk (data BLOB); PRAGMA user_version = 1',
  'another program wrote': 'CREATE TABLE bookmark (url TEXT)',
  'another program wrote, with versions of its own':
    'CREATE TABLE bookmark (url TEXT); PRAGMA user_version = 1',
}

for (const [whose, sql] of Object.entries(otherContents)) {
  test(`a file that ${whose} is refused in one clear sentence or two, and nothing is changed`, () => {
    const file = newFileInFolder()
    const other = new DatabaseSync(file)
    other.exec(sql)
    other.close()
    const before = contentsOf(dirname(file))
    assert.throws(
      () => openSqlite({ file }),
      ({ message }: Error) => {
        assert.ok(message.startsWith(file), message)
        assert.match(message, /Use the Pugmark|Move it|another folder/)
        assert.ok(message.length < file.length + 200 && !message.includes('\n'), message)
        return true
      },
    )
    assert.deepEqual(contentsOf(dirname(file)), before)
  })
}

test('a folder with the data of an older product is refused, and nothing is made in it', () => {
  const file = newFileInFolder()
  const older = join(dirname(file), 'tracks.db')
  const other = new DatabaseSync(older)
  other.exec('CREATE TABLE chunk (data BLOB); PRAGMA user_version = 9')
  other.close()
  const before = contentsOf(dirname(file))
  for (let i = 0; i < 2; i++) {
    assert.throws(
      () => openSqlite({ file }),
      ({ message }: Error) => message.startsWith(older) && /Move it|another folder/.test(message),
    )
    assert.deepEqual(contentsOf(dirname(file)), before)
  }
})

test('a database of another program in the folder is left alone', async () => {
  const file = newFileInFolder()
  const other = new DatabaseSync(join(dirname(file), 'addresses.db'))
  other.exec('CREATE TABLE address (text TEXT)')
  other.close()
  writeFileSync(join(dirname(file), 'notes.db'), 'no database at all')
  await openSqlite({ file }).close()
})

/** Creates one file after the other, each at the same moment as the other threads do. */
const creatingThread = `
  import { workerData } from 'node:worker_threads'
  const { createSchema } = await import(workerData.schema)
  const waiting = new Int32Array(workerData.waiting)
  for (const [round, file] of workerData.files.entries()) {
    const all = (round + 1) * workerData.threads
    if (Atomics.add(waiting, 0, 1) === all - 1) Atomics.notify(waiting, 0)
    for (let seen; (seen = Atomics.load(waiting, 0)) < all; ) Atomics.wait(waiting, 0, seen, 50)
    createSchema(file)
  }
`

/** Resolves with the exit codes; a thread that fails ends all. */
async function createInThreads(count: number, created: readonly string[], waiting: SharedArrayBuffer) {
  const source = new URL(`data:text/javascript,${encodeURIComponent(creatingThread)}`)
  const schema = new URL('./schema.ts', import.meta.url).href
  const workerData = { threads: count, files: created, waiting, schema }
  const threads = Array.from({ length: count }, () => new Worker(source, { workerData }))
  try {
    return (await Promise.all(threads.map(thread => once(thread, 'exit')))).flat()
  } finally {
    await Promise.all(threads.map(thread => thread.terminate()))
  }
}

test('many threads that open a new file at once all succeed', async () => {
  const many = Array.from({ length: 10 }, newFileInFolder)
  assert.deepEqual(await createInThreads(3, many, new SharedArrayBuffer(4)), [0, 0, 0])
  for (const file of many) await openSqlite({ file }).close()
})

test('opening a new file waits while another process writes its first page', async () => {
  const file = newFileInFolder()
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  const waiting = new SharedArrayBuffer(4)
  const created = createInThreads(1, [file], waiting)
  while (Atomics.load(new Int32Array(waiting), 0) === 0) await new Promise(setImmediate)
  await new Promise(resolve => setTimeout(resolve, 50))
  other.exec('COMMIT')
  other.close()
  assert.deepEqual(await created, [0])
})
