/** A disk that is really full: what does not fit is OVERLOADED and leaves nothing behind, and recording goes on once there is space. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { AppError } from '../../../src/domain/errors.ts'
import type { EventStore } from '../../../src/storage/event-store.ts'
import { openSqlite } from '../../../src/storage/sqlite/open-sqlite.ts'
import { startProcess } from '../../support/child-processes.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { assertRollUpsEqualList } from '../event-model.ts'
import { progressOf } from '../events/imports.ts'
import { batchOf, everyDay, listAll, manyEvents } from '../sample-events.ts'

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

test('on a full disk what waits to be filed is counted, lists that need it say so, others are answered, and nothing is lost', async t => {
  const disk = mountSmallDisk()
  if (typeof disk === 'string') return t.skip(disk)
  t.after(disk.unmount)
  const { file, ballast } = withBallast(disk.folder)
  const stores = openSqlite({ file })
  t.after(() => stores.close())
  const { events } = stores
  assert.equal((await events.append(batchOf(1, manyEvents(500)))).outcome, 'recorded')
  assert.equal(await assertRollUpsEqualList(events, 1), 500)
  const recorded = new Map<number, number>()
  for (let number = 0; ; number++) {
    const site = 2 + (number % 40)
    const [sent] = await Promise.allSettled([events.append(batchOf(site, manyEvents(100)))])
    if (sent!.status === 'rejected') break
    recorded.set(site, (recorded.get(site) ?? 0) + 100)
  }
  assert.equal(await assertRollUpsEqualList(events, 1), 500)
  for (const [site, count] of recorded) {
    const { bot } = await events.counts(site, everyDay)
    assert.equal(bot[0]?.count, count)
  }
  const answers = await Promise.allSettled([...recorded.keys()].map(site => listAll(events, site)))
  const refusals = answers.filter(answer => answer.status === 'rejected').map(({ reason }) => reason)
  assert.ok(refusals.length > 0)
  for (const reason of refusals) {
    assert.ok(reason instanceof AppError && reason.code === 'OVERLOADED', String(reason))
    assert.match(reason.message, /full/)
  }

  rmSync(ballast)
  for (const [site, count] of recorded) assert.equal(await assertRollUpsEqualList(events, site), count)
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
