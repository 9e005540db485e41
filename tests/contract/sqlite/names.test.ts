/** The limit of names that a site may have: beyond it a batch is refused whole, and whoever records beside it is not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/domain/errors.ts'
import { subjectsPerSiteMax } from '../../../src/storage/sqlite/names.ts'
import { assertRollUpsEqualList } from '../event-model.ts'
import { batchOf, botEvent, record } from '../sample-events.ts'
import { openTemporarySqlite } from '../temporary-sqlite.ts'

test('a site with very many names takes no new ones, goes on with those it has, and leaves others alone', async t => {
  const engine = await openTemporarySqlite()
  t.after(() => engine.close())
  const { events } = engine.stores
  const named = (number: number) => botEvent({ name: `name ${number}` })
  const before = subjectsPerSiteMax - 2
  await record(
    events,
    1,
    Array.from({ length: before }, (_, i) => named(i)),
  )
  // The first of its two new names still had room: it must not stay without its event.
  const tooMany = batchOf(1, [named(1), named(before), named(before + 1), named(before + 2)], {
    idempotency: { key: 'key', bodyHash: '', response: '' },
  })
  for (let i = 0; i < 2; i++) {
    const ends = await Promise.allSettled([
      events.append(batchOf(1, [named(2)])),
      events.append(tooMany),
      events.append(batchOf(2, [named(before + 2)])),
    ])
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    const { reason } = ends[1] as PromiseRejectedResult
    assert.ok(reason instanceof AppError && reason.code === 'INVALID_EVENT', String(reason))
  }
  await record(events, 1, [named(before), named(before + 1)])
  assert.equal(await assertRollUpsEqualList(events, 1), before + 4)
  assert.equal(await assertRollUpsEqualList(events, 2), 2)
})
