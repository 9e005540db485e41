/** A long export beside a busy writer: no question holds its view of the data for long, so the write-ahead log stays small. */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { test } from 'node:test'
import type { EventPosition } from '../../../src/domain/event.ts'
import { manyEvents, noon, record } from '../sample-events.ts'
import { openTemporarySqlite } from '../temporary-sqlite.ts'

/** The writer moves the log to the main file from 4 MiB on; a few commits may come in between. */
const logBytesMax = 12 * 2 ** 20

test('an export that lasts while events are recorded does not keep the log from being moved to the main file', async t => {
  const engine = await openTemporarySqlite()
  t.after(() => engine.close())
  const { events } = engine.stores
  const reader = (await engine.reopen()).events
  const exported = 20_000
  for (let i = 0; i < exported; i += 2_000) await record(events, 1, manyEvents(2_000, { path: `/${i}` }))

  let isExporting = true
  let [recorded, most] = [0, 0]
  const recordOn = async (): Promise<void> => {
    while (isExporting || recorded < 60_000) {
      await record(events, 2, manyEvents(1_000))
      recorded += 1_000
      most = Math.max(most, statSync(`${engine.file}-wal`).size)
    }
  }
  const exportOn = async (): Promise<void> => {
    while (recorded < 50_000) {
      let after: EventPosition | null = null
      let count = 0
      do {
        const page = await reader.exportSite(1, after, 1_000)
        count += page.length
        after = page.at(-1) ?? null
      } while (after)
      assert.equal(count, exported)
      await reader.list(1, {
        range: { start: 0, end: 30_000 },
        type: 'bot',
        after: { createdAt: noon + 500, id: 0 },
        limit: 1_000,
      })
    }
    isExporting = false
  }
  await Promise.all([recordOn(), exportOn()])
  assert.ok(most > 0 && most < logBytesMax, `the log grew to ${most} bytes`)
})
