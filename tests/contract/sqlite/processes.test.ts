/** Several real processes on one file: all record at once, and each sees at once what another has acknowledged. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRollUpsEqualList } from '../event-model.ts'
import { everyDay, listAll, record } from '../sample-events.ts'
import { openTemporarySqlite } from '../temporary-sqlite.ts'
import { eventsPerBatch, numberedBatch, storedBatches } from './numbered-batch.ts'
import { startRecording } from './start-recording.ts'

const batchesEach = 150

test('two processes and this one record for the same site, and everything is there exactly once', async () => {
  const engine = await openTemporarySqlite()
  const { events } = engine.stores
  const site = 1
  const others = [100_000, 200_000].map(first => startRecording(engine.file, { site, first }))
  const own = async (): Promise<void> => {
    for (let number = 0; number < batchesEach; number++) {
      assert.deepEqual(await events.append(numberedBatch(site, number)), { outcome: 'recorded' })
    }
  }
  const othersRecord = others.map(async each => {
    while (each.acknowledged.size < batchesEach) await each.next()
    assert.deepEqual(await each.stop(), { code: 0, signal: null })
  })
  await Promise.all([own(), ...othersRecord])
  const acknowledged = batchesEach + others.reduce((sum, each) => sum + each.acknowledged.size, 0)
  const listed = await listAll(events, site)
  assert.equal(storedBatches(listed).size, acknowledged)
  assert.equal(await assertRollUpsEqualList(events, site), acknowledged * eventsPerBatch)
  assert.equal(await events.usage(site, 2026 * 12 + 5), acknowledged * eventsPerBatch)
  await engine.close()
})

test('what another process has acknowledged is in the very next answer of this one', async () => {
  const engine = await openTemporarySqlite()
  const { events } = engine.stores
  const site = 1
  const questions: Promise<void>[] = []
  let acknowledged = 0
  let asking = true
  const recording = startRecording(engine.file, { site, inFlight: 1 }, () => {
    const atLeast = ++acknowledged * eventsPerBatch
    const check = async (): Promise<void> => {
      const counts = await events.counts(site, everyDay)
      const total = Object.values(counts)
        .flat()
        .reduce((sum, { count }) => sum + count, 0)
      assert.ok(total >= atLeast, `${total} of ${atLeast}`)
    }
    questions.push(check())
  })
  // Answers are kept as long as possible: others ask without pause, in every phase of the event loop.
  const keepAsking = async (pause: () => Promise<unknown>): Promise<void> => {
    while (asking) {
      await events.counts(site, everyDay)
      await pause()
    }
  }
  const askers = [
    keepAsking(() => new Promise(setImmediate)),
    keepAsking(() => new Promise(resolve => setTimeout(resolve, 1))),
  ]
  while (acknowledged < batchesEach) await recording.next()
  assert.deepEqual(await recording.stop(), { code: 0, signal: null })
  asking = false
  await Promise.all([...questions, ...askers])
  await record(events, 2, [])
  await engine.close()
})
