/** What is removed is gone from the files too, not only from answers, and its space goes back to the disk. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { dayMs } from '../../../src/domain/date-range.ts'
import type { NewEvent } from '../../../src/domain/event.ts'
import { assertRollUpsEqualList } from '../event-model.ts'
import { progressOf } from '../events/imports.ts'
import { botEvent, conversionEvent, everyDay, noon, record, someProvenance } from '../sample-events.ts'
import { openTemporarySqlite } from '../temporary-sqlite.ts'

/** Every text that an event can bring, with the mark in each; long enough to be spread over pages of its own. */
const marked = (mark: string, count: number): NewEvent[] =>
  Array.from({ length: count }, (_, i) =>
    (i % 2 === 0 ? botEvent : conversionEvent)({
      name: `${mark}-name-${i % 50}`,
      company: `${mark}-company`,
      path: `/${mark}-path-${i}-${'p'.repeat(i % 7 === 0 ? 1_800 : 20)}`,
      createdAt: noon - (i % 60) * dayMs,
      value: i % 2 === 0 ? null : i,
      provenance: {
        ...someProvenance,
        userAgent: `${mark}-agent-${i}-${'a'.repeat(i % 11 === 0 ? 900 : 10)}`,
        referrerHost: `${mark}-referrer`,
        rule: `${mark}-rule`,
        assistant: `${mark}-assistant`,
        landing: `/${mark}-landing-${i % 100}`,
      },
    }),
  )

/** Files of the folder that hold the mark. */
const filesWith = (file: string, mark: string): string[] =>
  readdirSync(dirname(file)).filter(name => readFileSync(join(dirname(file), name)).includes(mark))

const bytesOf = (file: string): number =>
  [file, `${file}-wal`].reduce((sum, each) => sum + (existsSync(each) ? statSync(each).size : 0), 0)

test('nothing of a removed site is left in the raw bytes of the files, and what it took is given back', async t => {
  const engine = await openTemporarySqlite()
  t.after(() => engine.close())
  const { events } = engine.stores
  await record(events, 1, marked('kept', 500))
  const before = bytesOf(engine.file)
  const batches = 8
  for (let i = 0; i < batches; i++)
    await record(events, 2, marked('gone', 1_000), {
      idempotency: { key: `gone-key-${i}`, bodyHash: 'gone-hash', response: 'gone-response' },
      onceKeys: [`gone-once-${i}`],
      importProgress: progressOf(`gone-log-${i}`, { context: 'gone-context' }),
      intake: { source: 'hits', ignored: { 'gone-reason': 1 }, duplicates: 0 },
    })
  assert.ok(filesWith(engine.file, 'gone-path').length > 0, 'the search finds what is there')
  const most = bytesOf(engine.file)
  assert.ok(most > before + 2 ** 21)

  await events.removeSite(2)
  assert.deepEqual(filesWith(engine.file, 'gone-'), [])
  assert.ok(filesWith(engine.file, 'kept-path').length > 0)
  assert.equal(await assertRollUpsEqualList(events, 1), 500)
  const after = bytesOf(engine.file)
  assert.ok(after < before + (most - before) / 10, `${before} bytes, then ${most}, then ${after}`)

  // Before the first table was made: later neither could be set any more.
  const reader = new DatabaseSync(engine.file, { readOnly: true })
  assert.equal(reader.prepare('PRAGMA auto_vacuum').get()?.auto_vacuum, 2)
  assert.equal(Number(reader.prepare('PRAGMA freelist_count').get()?.freelist_count), 0)
  reader.close()
})

test('a removal clears the files also while questions are asked and other sites record', async t => {
  const engine = await openTemporarySqlite()
  t.after(() => engine.close())
  const { events } = engine.stores
  const reader = (await engine.reopen()).events
  await record(events, 2, marked('gone', 3_000))
  let removed = false
  const recordOn = async (): Promise<number> => {
    let batches = 0
    for (; !removed; batches++) await record(events, 1, marked('kept', 20))
    return batches
  }
  const askOn = async (): Promise<void> => {
    while (!removed) {
      await reader.counts(2, everyDay)
      await reader.exportSite(1, null, 100)
      await new Promise(setImmediate)
    }
  }
  const others = Promise.all([recordOn(), askOn()])
  await events.removeSite(2)
  removed = true
  const [batches] = await others
  assert.equal(await assertRollUpsEqualList(events, 1), batches * 20)
  assert.deepEqual(filesWith(engine.file, 'gone-'), [])
})

test('a removal by one process clears what another has open', async t => {
  const engine = await openTemporarySqlite()
  t.after(() => engine.close())
  const other = (await engine.reopen()).events
  await record(engine.stores.events, 2, marked('gone', 1_000))
  await record(other, 2, marked('gone', 1_000))
  await other.counts(2, everyDay)
  await other.exportSite(2, null, 10)
  await engine.stores.events.removeSite(2)
  assert.deepEqual(filesWith(engine.file, 'gone-'), [])
})
