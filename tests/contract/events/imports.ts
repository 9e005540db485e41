/** Promises about import progress: it stands exactly where the stored events do. */
import assert from 'node:assert/strict'
import type { ImportProgress } from '../../../src/storage/event-store.ts'
import type { Suite } from '../engine.ts'
import { assertRollUpsEqualList } from '../event-model.ts'
import { batchOf, manyEvents, noon, record } from '../sample-events.ts'

export const progressOf = (id: string, chosen: Partial<ImportProgress> = {}): ImportProgress => ({
  id,
  offset: 4096,
  headLength: 1024,
  headHash: 'a1b2',
  windowLength: 256,
  windowHash: 'c3d4',
  context: null,
  lines: 12,
  updatedAt: noon,
  ...chosen,
})

export function importPromises(suite: Suite): void {
  const { promise, newNumber } = suite

  promise('progress is stored with its events and comes back as it was, in every opening', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const first = progressOf('first')
    const second = progressOf('second', {
      offset: Number.MAX_SAFE_INTEGER,
      context: '#Fields: date time cs-uri-stem\n# ünïcode',
      lines: 2 ** 40,
    })
    await record(events, site, manyEvents(3), { importProgress: first })
    await record(events, site, manyEvents(2), { importProgress: second })
    for (const store of [events, (await suite.another()).events]) {
      const imports = [...(await store.imports(site))].sort((a, b) => a.id.localeCompare(b.id))
      assert.deepEqual(imports, [first, second])
    }
    assert.equal(await assertRollUpsEqualList(events, site), 5)
  })

  promise(
    'later progress of the same log replaces the earlier, also when no event came with it',
    async () => {
      const { events } = suite.engine.stores
      const site = newNumber()
      await record(events, site, manyEvents(3), { importProgress: progressOf('log') })
      const later = progressOf('log', { offset: 9000, windowHash: 'e5f6', context: 'x', lines: 40 })
      await record(events, site, [], { importProgress: later, monthlyLimit: 0 })
      assert.deepEqual(await events.imports(site), [later])
    },
  )

  promise('an append that records nothing moves no progress', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const stored = progressOf('log')
    const idempotency = { key: 'key', bodyHash: 'hash', response: '{}' }
    await record(events, site, manyEvents(3), { importProgress: stored, idempotency })
    const moved = { importProgress: progressOf('log', { offset: 9999 }) }
    const outcomes = [
      await events.append(batchOf(site, manyEvents(1), { ...moved, monthlyLimit: 3 })),
      await events.append(batchOf(site, manyEvents(1), { ...moved, idempotency })),
      await events.append(
        batchOf(site, manyEvents(1), { ...moved, idempotency: { ...idempotency, bodyHash: '' } }),
      ),
    ]
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['over-quota', 'replayed', 'idempotency-mismatch'],
    )
    assert.deepEqual(await events.imports(site), [stored])
  })

  promise('two sites that import the same log have progress of their own', async () => {
    const { events } = suite.engine.stores
    const [one, two] = [newNumber(), newNumber()]
    await record(events, one, manyEvents(1), { importProgress: progressOf('log', { offset: 1 }) })
    await record(events, two, manyEvents(1), { importProgress: progressOf('log', { offset: 2 }) })
    assert.deepEqual(await events.imports(one), [progressOf('log', { offset: 1 })])
    assert.deepEqual(await events.imports(two), [progressOf('log', { offset: 2 })])
  })
}
