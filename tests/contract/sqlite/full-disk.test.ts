/** A disk that is really full: what does not fit is OVERLOADED and leaves nothing behind, and recording goes on once there is space. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { AppError } from '../../../src/domain/errors.ts'
import type { NewEvent } from '../../../src/domain/event.ts'
import type { EventStore } from '../../../src/storage/event-store.ts'
import { openSqlite } from '../../../src/storage/sqlite/open-sqlite.ts'
import { startProcess } from '../../support/child-processes.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { assertRollUpsEqualList } from '../event-model.ts'
import { progressOf } from '../events/imports.ts'
import {
  batchOf,
  botEvent,
  exportAll,
  listAll,
  manyEvents,
  noon,
  record,
  someJudgement,
  someProvenance,
} from '../sample-events.ts'

const month = 2026 * 12 + 5
const diskBytes = 3 * 2 ** 20

/** A file system of a few megabytes; where it cannot be had, the reason why. */
function mountSmallDisk(): { folder: string; unmount: () => void } | string {
  const folder = temporaryFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', folder], { stdio: 'pipe' })
  } catch (error) {
    return `needs the right to mount a small file system: ${(error as Error).message.trim()}`
  }
  return { folder, unmount: () => execFileSync('umount', ['-l', folder]) }
}

/** The data file, and another that takes a third of the disk until it is removed. */
function withBallast(folder: string): { file: string; ballast: string } {
  const ballast = join(folder, 'ballast')
  writeFileSync(ballast, new Uint8Array(diskBytes / 3))
  return { file: join(folder, 'pugmark.db'), ballast }
}

/** Records until the disk is full; returns how many batches were acknowledged. */
async function recordUntilFull(events: EventStore, site: number): Promise<number> {
  for (let number = 0; ; number++) {
    assert.ok(number < 1000, 'the disk does not fill up')
    const importProgress = progressOf('log', { offset: number })
    const idempotency = { key: String(number), bodyHash: '', response: '' }
    try {
      const batch = batchOf(site, manyEvents(500, { name: `name ${number}` }), {
        importProgress,
        idempotency,
      })
      assert.deepEqual(await events.append(batch), { outcome: 'recorded' })
    } catch (error) {
      assert.ok(error instanceof AppError, String(error))
      assert.equal(error.code, 'OVERLOADED')
      assert.ok(error.retryAfterSeconds! >= 1)
      assert.match(error.message, /full/)
      return number
    }
  }
}

async function assertHolds(events: EventStore, site: number, batches: number): Promise<void> {
  assert.equal(await assertRollUpsEqualList(events, site), batches * 500)
  assert.equal(await events.usage(site, month), batches * 500)
  assert.equal((await events.imports(site))[0]?.offset, batches - 1)
  const names = new Set((await listAll(events, site)).map(({ name }) => name))
  assert.equal(names.size, batches)
}

test('on a full disk nothing is recorded in part, questions are answered, and space lets recording go on', async t => {
  const disk = mountSmallDisk()
  if (typeof disk === 'string') return t.skip(disk)
  t.after(disk.unmount)
  const { file, ballast } = withBallast(disk.folder)
  const stores = openSqlite({ file })
  const { events, accounts } = stores

  const batches = await recordUntilFull(events, 1)
  assert.ok(batches > 3, `full after ${batches} batches`)
  await assertHolds(events, 1, batches)
  const account = { id: 'usr_1', email: 'a@example.org', plan: 'free', createdAt: 0 } as const
  const many = Array.from({ length: 20 }, (_, i) => events.append(batchOf(10 + i, manyEvents(2_000))))
  const refused = (await Promise.allSettled(many)).filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, many.length)
  await assertHolds(events, 1, batches)

  rmSync(ballast)
  assert.equal((await accounts.addAccount(account))?.id, account.id)
  const { outcome } = await events.append(
    batchOf(1, manyEvents(500, { name: `name ${batches}` }), {
      importProgress: progressOf('log', { offset: batches }),
      idempotency: { key: String(batches), bodyHash: '', response: '' },
    }),
  )
  assert.equal(outcome, 'recorded', 'what was refused counts as new')
  await assertHolds(events, 1, batches + 1)
  const more = await recordUntilFull(events, 2)
  assert.ok(more > 3)
  await stores.close()

  const database = new DatabaseSync(file)
  assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
  database.close()
})

test('on a full disk every question about every site is answered, and nothing acknowledged is lost', async t => {
  const disk = mountSmallDisk()
  if (typeof disk === 'string') return t.skip(disk)
  t.after(disk.unmount)
  const { file, ballast } = withBallast(disk.folder)
  const stores = openSqlite({ file })
  t.after(() => stores.close())
  const { events } = stores
  const recorded = new Map<number, number>()
  for (let number = 0; ; number++) {
    const site = 1 + (number % 40)
    const [sent] = await Promise.allSettled([events.append(batchOf(site, manyEvents(100)))])
    if (sent!.status === 'rejected') break
    recorded.set(site, (recorded.get(site) ?? 0) + 100)
  }
  const holds = async (): Promise<void> => {
    for (const [site, count] of recorded) {
      assert.equal(await assertRollUpsEqualList(events, site), count)
      assert.equal((await exportAll(events, site)).length, count)
      assert.equal(await events.usage(site, month), count)
    }
  }
  assert.ok(recorded.size > 10, `full after ${recorded.size} sites`)
  await holds()
  const [position] = await listAll(events, 1)
  const amended = events.amend(1, [{ position: position!, judgement: someJudgement }], noon)
  const [ended] = await Promise.allSettled([amended])
  // A change of one row may still find room, but never by half.
  const found = await events.find(1, position!)
  assert.equal(found?.judgement.verdict, ended!.status === 'fulfilled' ? someJudgement.verdict : null)
  await holds()

  rmSync(ballast)
  assert.equal(await events.amend(1, [{ position: position!, judgement: someJudgement }], noon), 1)
  await holds()
})

test('a name that did not fit on the disk is made anew when there is space, and no event gets another', async t => {
  const disk = mountSmallDisk()
  if (typeof disk === 'string') return t.skip(disk)
  t.after(disk.unmount)
  const { file, ballast } = withBallast(disk.folder)
  const stores = openSqlite({ file })
  t.after(() => stores.close())
  const { events } = stores
  const visit = (path: string): NewEvent =>
    botEvent({
      path,
      name: `name of ${path}`,
      provenance: { ...someProvenance, userAgent: `agent of ${path}` },
    })
  const refused: string[] = []
  await recordUntilFull(events, 1)
  for (let i = 0; i < 40; i++) {
    // Large and small ones, alone and together, so that some fail at the commit and some before.
    const paths = Array.from(
      { length: 1 + (i % 4) * 100 },
      (_, j) => `/refused/${i}/${j}/${'x'.repeat(1_000)}`,
    )
    const sent = events.append(batchOf(2, paths.map(visit)))
    const [, first] = await Promise.allSettled([events.append(batchOf(3, [visit(`/other/${i}`)])), sent])
    if (first!.status === 'rejected') refused.push(paths[0]!)
  }
  assert.ok(refused.length > 3)

  rmSync(ballast)
  const again = ['/first', ...refused.flatMap(path => [`${path}/new`, path])]
  await record(events, 2, again.map(visit))
  for (const site of [2, 3]) {
    for (const { name, path, provenance } of await exportAll(events, site)) {
      assert.equal(name, `name of ${path}`)
      assert.equal(provenance.userAgent, `agent of ${path}`)
    }
    await assertRollUpsEqualList(events, site)
  }
  const paths = new Set((await exportAll(events, 2)).map(({ path }) => path))
  for (const path of ['/first', ...refused]) assert.ok(paths.has(path), path.slice(0, 30))
})

test('on a full disk no repeat is told that what it repeats was recorded, unless it was', async t => {
  const disk = mountSmallDisk()
  if (typeof disk === 'string') return t.skip(disk)
  t.after(disk.unmount)
  const stores = openSqlite({ file: join(disk.folder, 'pugmark.db') })
  t.after(() => stores.close())
  const { events } = stores
  await recordUntilFull(events, 1)
  const recorded: number[] = []
  for (let i = 0; i < 12; i++) {
    const size = 1 + (i % 3) * 400
    const batch = batchOf(2, manyEvents(size, { name: `name ${i}` }), {
      idempotency: { key: `pair ${i}`, bodyHash: '', response: '' },
    })
    const ends = await Promise.allSettled([events.append(batch), events.append(batch)])
    const outcomes = ends.map(end => (end.status === 'fulfilled' ? end.value.outcome : 'refused'))
    assert.ok(outcomes.filter(outcome => outcome === 'recorded').length <= 1)
    assert.ok(!outcomes.includes('replayed') || outcomes.includes('recorded'), outcomes.join())
    if (outcomes.includes('recorded')) recorded.push(size)
  }
  assert.ok(recorded.length < 12)
  const expected = recorded.reduce((sum, size) => sum + size, 0)
  assert.equal(await assertRollUpsEqualList(events, 2), expected)
})

test('a store that is closed while the disk is full closes, and everything acknowledged is there later', async t => {
  const disk = mountSmallDisk()
  if (typeof disk === 'string') return t.skip(disk)
  t.after(disk.unmount)
  const [file, ballast] = [join(disk.folder, 'pugmark.db'), join(disk.folder, 'ballast')]
  writeFileSync(ballast, new Uint8Array(diskBytes / 2))
  const stores = openSqlite({ file })
  const batches = await recordUntilFull(stores.events, 1)
  const log = statSync(`${file}-wal`).size
  await stores.close()
  assert.ok(log > statSync(file).size, 'the log would have fitted: this shows nothing')
  rmSync(ballast)
  const reopened = openSqlite({ file })
  await assertHolds(reopened.events, 1, batches)
  await reopened.close()
})

test('a process that may not make its files larger says OVERLOADED, and records again when it may', async t => {
  if (process.platform !== 'linux') return t.skip('needs prlimit, which Linux has')
  const file = join(temporaryFolder(), 'pugmark.db')
  const script = join(import.meta.dirname, 'limited-process.ts')
  const { child, exit } = startProcess(
    'bash',
    // In KiB: the soft limit only, so that the process can lift it.
    ['-c', 'ulimit -S -f 1024; exec "$0" "$@"', process.execPath, script, file],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let printed = ''
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  assert.deepEqual(await exit, { code: 0, signal: null })
  const { recorded, refused, afterwards } = JSON.parse(printed)
  assert.equal(refused, 'OVERLOADED')
  assert.equal(afterwards, 'recorded')
  assert.ok(recorded > 3)
  const stores = openSqlite({ file })
  assert.equal(await assertRollUpsEqualList(stores.events, 1), (recorded + 1) * 500)
  await stores.close()
})
