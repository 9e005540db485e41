/** The writer must keep its promises under load, when closing, and beside other processes. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import {
  batchOf,
  botEvent,
  everyDay,
  manyEvents,
  noon,
  record,
} from '../../../tests/contract/sample-events.ts'
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { AppError } from '../../domain/errors.ts'
import { openSqlite } from './open-sqlite.ts'
import { createSchema } from './schema.ts'
import { Writer } from './writer.ts'

const folder = temporaryFolder()
let files = 0
const newFile = (): string => join(folder, String(++files), 'pugmark.db')

const codeOf = (error: unknown): string => (error instanceof AppError ? error.code : String(error))

/** How each request ended: `recorded`, another outcome, or the code of its error. */
const endsOf = async (appends: readonly Promise<{ outcome: string }>[]): Promise<string[]> =>
  (await Promise.allSettled(appends)).map(each =>
    each.status === 'fulfilled' ? each.value.outcome : codeOf(each.reason),
  )

/** Transactions in the write-ahead log: the last frame of each tells the size of the file. */
function commitsIn(file: string): number {
  const log = readFileSync(`${file}-wal`)
  const frameBytes = 24 + log.readUInt32BE(8)
  let commits = 0
  for (let at = 32; at < log.length; at += frameBytes) if (log.readUInt32BE(at + 4) > 0) commits++
  return commits
}

test('requests of one turn of the event loop share one commit, and very many share a few', async () => {
  const file = newFile()
  const stores = openSqlite({ file })
  await record(stores.events, 1, [botEvent()])
  for (const [requests, most] of [
    [15, 1],
    [64, 4],
  ] as const) {
    const before = commitsIn(file)
    await Promise.all(Array.from({ length: requests }, () => record(stores.events, 1, [botEvent()])))
    const commits = commitsIn(file) - before
    assert.ok(commits >= 1 && commits <= most, `${commits} commits of ${requests} requests`)
  }
  await stores.close()
})

test('a prepared store records, and also closes when nothing was recorded', async () => {
  for (const events of [[], [botEvent()]]) {
    const stores = openSqlite({ file: newFile() })
    stores.prepareRecording()
    if (events.length > 0) await record(stores.events, 1, events)
    const { bot } = await stores.events.counts(1, everyDay)
    await stores.close()
    assert.equal(bot.length, events.length)
    stores.prepareRecording()
  }
})

test('closing finishes all requests, even those of the same turn', async () => {
  const file = newFile()
  for (const [round, wait] of [async () => {}, () => new Promise(setImmediate)].entries()) {
    const stores = openSqlite({ file })
    const appends = Array.from({ length: 30 }, (_, i) =>
      stores.events.append(batchOf(1, [botEvent({ createdAt: noon + i })])),
    )
    await wait()
    await stores.close()
    assert.deepEqual(await endsOf(appends), Array(30).fill('recorded'))
    const reopened = openSqlite({ file })
    assert.equal((await reopened.events.counts(1, everyDay)).bot[0]?.count, 30 * (round + 1))
    await reopened.close()
  }
})

test('a closed store records nothing more and says so', async () => {
  const stores = openSqlite({ file: newFile() })
  await stores.close()
  await assert.rejects(stores.events.append(batchOf(1, [botEvent()])), /closed/)
})

test('events beyond the limit in memory are OVERLOADED, and no others', async () => {
  const stores = openSqlite({ file: newFile() })
  const batch = manyEvents(10_000)
  const ends = await endsOf(Array.from({ length: 23 }, () => stores.events.append(batchOf(1, batch))))
  assert.deepEqual(ends, [...Array(20).fill('recorded'), ...Array(3).fill('OVERLOADED')])
  assert.equal((await stores.events.counts(1, everyDay)).bot[0]?.count, 200_000)
  await record(stores.events, 1, batch)
  await stores.close()
})

test('a batch larger than the limit is still accepted when nothing waits', async () => {
  const stores = openSqlite({ file: newFile() })
  await record(stores.events, 1, manyEvents(200_001, { path: '/' }))
  assert.equal((await stores.events.counts(1, everyDay)).bot[0]?.count, 200_001)
  await stores.close()
})

test('a writer waits for the transaction of another process', async () => {
  const file = newFile()
  const stores = openSqlite({ file })
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  let recorded = false
  const append = record(stores.events, 1, [botEvent()]).then(() => {
    recorded = true
  })
  await new Promise(resolve => setTimeout(resolve, 150))
  assert.equal(recorded, false)
  other.exec('COMMIT')
  await append
  other.close()
  await stores.close()
})

test('requests that wait too long for another process are OVERLOADED, and the next ones succeed', async () => {
  const file = newFile()
  mkdirSync(dirname(file))
  createSchema(file)
  const patienceMs = 120
  const writer = new Writer(file, { patienceMs })
  const ask = (): Promise<{ outcome: string }> =>
    writer.run('setPlan', ['usr_unknown', 'pro']).then(changed => ({ outcome: String(changed) }))
  assert.equal((await ask()).outcome, 'false')
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  const start = performance.now()
  assert.deepEqual(await endsOf(Array.from({ length: 50 }, ask)), Array(50).fill('OVERLOADED'))
  assert.ok(performance.now() - start < 50 * patienceMs, 'each waited for itself')
  other.exec('COMMIT')
  other.close()
  assert.equal((await ask()).outcome, 'false')
  await writer.close()
})

test('a writer that cannot start fails its requests, and starts for the next one', async () => {
  const file = newFile()
  const writer = new Writer(file)
  const ask = (): Promise<boolean> => writer.run('setPlan', ['usr_unknown', 'pro'])
  await assert.rejects(ask(), /unable to open database file/)
  mkdirSync(dirname(file))
  createSchema(file)
  // At once, while the failed thread has not ended yet.
  assert.deepEqual(await Promise.all([ask(), ask()]), [false, false])
  await writer.close()
})
