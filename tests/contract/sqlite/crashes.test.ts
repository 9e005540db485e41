/** kill -9 in the middle of sustained recording, again and again: what was acknowledged is there, exactly once, and counted right. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { dayMs } from '../../../src/domain/date-range.ts'
import { openSqlite } from '../../../src/storage/sqlite/open-sqlite.ts'
import type { Stores } from '../../../src/storage/stores.ts'
import { startProcess } from '../../support/child-processes.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { assertRollUpsEqualList } from '../event-model.ts'
import { batchOf, botEvent, everyDay, listAll, noon, record } from '../sample-events.ts'
import { openTemporarySqlite } from '../temporary-sqlite.ts'
import { eventsPerBatch, numberedBatch, storedBatches } from './numbered-batch.ts'
import { startRecording } from './start-recording.ts'

const removingProcess = join(import.meta.dirname, 'removing-process.ts')
const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/** Checks the site after a kill, then sends again what was in flight, as a client would. */
async function checkAfterKill(
  { events }: Stores,
  site: number,
  acknowledged: ReadonlySet<number>,
): Promise<void> {
  const stored = storedBatches(await listAll(events, site))
  for (const number of acknowledged) assert.ok(stored.has(number), `acknowledged batch ${number} is lost`)
  await assertRollUpsEqualList(events, site)
  const sentAgain = Array.from({ length: Math.max(-1, ...stored) + 8 }, (_, number) => number)
  for (const number of sentAgain.slice(-16)) {
    const { outcome } = await events.append(numberedBatch(site, number))
    assert.equal(outcome, stored.has(number) ? 'replayed' : 'recorded', `batch ${number}`)
  }
  const complete = storedBatches(await listAll(events, site))
  assert.deepEqual(
    [...complete].sort((a, b) => a - b),
    sentAgain,
  )
  assert.equal(await assertRollUpsEqualList(events, site), sentAgain.length * eventsPerBatch)
}

function assertSound(file: string): void {
  const database = new DatabaseSync(file)
  assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
  database.close()
}

test('recording processes are killed 16 times, and nothing acknowledged is lost or doubled', async () => {
  const file = join(temporaryFolder(), 'pugmark.db')
  for (let round = 0; round < 8; round++) {
    const victims = [1, 2].map(i => ({ site: 10 * round + i, inFlight: 1 + ((round + i) % 8) }))
    const recordings = victims.map(victim => startRecording(file, victim))
    await Promise.all(recordings.map(recording => recording.next()))
    await pause((round * 37) % 120)
    for (const recording of recordings) {
      await recording.kill()
      await pause(round % 3)
    }
    const stores = openSqlite({ file })
    for (const [i, { acknowledged }] of recordings.entries()) {
      assert.ok(acknowledged.size > 0, 'killed before it recorded anything')
      await checkAfterKill(stores, victims[i]!.site, acknowledged)
    }
    await stores.close()
  }
  assertSound(file)
})

test('processes are killed at any moment of their start while this one records on', async () => {
  const engine = await openTemporarySqlite()
  const { stores } = engine
  const own = 1
  let recorded = 0
  let stop = false
  const recordOn = async (): Promise<void> => {
    while (!stop) await record(stores.events, own, [botEvent({ createdAt: noon + recorded++ })])
  }
  const recording = recordOn()
  for (let site = 2; site <= 9; site++) {
    const victims = [0, 1].map(i => startRecording(engine.file, { site: site + i * 100, inFlight: 4 }))
    await pause(40 + site * 17)
    await Promise.all(victims.map(victim => victim.kill()))
    for (const [i, { acknowledged }] of victims.entries()) {
      await checkAfterKill(stores, site + i * 100, acknowledged)
    }
  }
  stop = true
  await recording
  assert.equal(await assertRollUpsEqualList(stores.events, own), recorded)
  assertSound(engine.file)
  await engine.close()
})

test('a removal that was killed is completed by the next, and leaves other sites alone', async () => {
  const engine = await openTemporarySqlite()
  const { events } = engine.stores
  const years = Array.from({ length: 5_000 }, (_, i) =>
    botEvent({ name: `name ${i % 100}`, path: `/${i}`, createdAt: noon - i * dayMs }),
  )
  await record(events, 2, years)
  for (let site = 10; site < 13; site++) {
    await record(events, site, years)
    const before = await events.revision(site)
    const { child, exit } = startProcess(process.execPath, [removingProcess, engine.file, String(site)], {
      stdio: 'inherit',
    })
    let ended = false
    void exit.then(() => {
      ended = true
    })
    while (!ended && (await events.revision(site)) === before) await pause(1)
    await pause(site - 10)
    child.kill('SIGKILL')
    await exit
    assert.deepEqual(await events.append(batchOf(site, [botEvent()])), { outcome: 'site-removed' })
    await events.removeSite(site)
    assert.equal(await assertRollUpsEqualList(events, site), 0)
    assert.deepEqual(await events.counts(site, everyDay), { bot: [], referral: [], conversion: [] })
  }
  assert.equal(await assertRollUpsEqualList(events, 2), years.length)
  assertSound(engine.file)
  await engine.close()
})
