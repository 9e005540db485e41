/** Promises about the removal of a site: for good, completely, and without touching another. */
import assert from 'node:assert/strict'
import { dayMs, monthOf } from '../../../src/domain/date-range.ts'
import type { Suite } from '../engine.ts'
import { assertRollUpsEqualList } from '../event-model.ts'
import { batchOf, botEvent, everyDay, listAll, manyEvents, noon, record } from '../sample-events.ts'
import { progressOf } from './imports.ts'

const nothing = { bot: [], referral: [], conversion: [] }

export function removalPromises(suite: Suite): void {
  const { promise, newNumber } = suite

  promise('a removed site has no events, no names and no import progress, in every opening', async () => {
    const [one, other] = [suite.engine.stores.events, (await suite.another()).events]
    const site = newNumber()
    const load = [{ day: 1, kind: 'asset', requests: 1, bytes: 1, durationMs: 1 }] as const
    await record(one, site, manyEvents(700), {
      importProgress: progressOf('log'),
      intake: { source: 'hits', ignored: {}, duplicates: 0, load },
    })
    for (const store of [one, other]) assert.equal(await assertRollUpsEqualList(store, site), 700)
    const position = (await listAll(one, site))[0]!
    await one.removeSite(site)
    for (const store of [one, other]) {
      assert.deepEqual(await store.counts(site, everyDay), nothing)
      assert.deepEqual(await listAll(store, site), [])
      assert.equal(await store.find(site, position), null)
      assert.deepEqual(await store.imports(site), [])
      assert.deepEqual(await store.series(site, everyDay, 'day'), [])
      assert.deepEqual(await store.exportSite(site, null, 10), [])
      assert.deepEqual(await store.load(site, everyDay), [])
      assert.equal(await store.extent(site), null)
    }
  })

  promise('questions asked while a site is being removed do not keep what they saw', async () => {
    const [one, other] = [suite.engine.stores.events, (await suite.another()).events]
    const site = newNumber()
    const years = Array.from({ length: 2500 }, (_, i) =>
      botEvent({ name: `Bot ${i % 50}`, createdAt: noon - i * dayMs }),
    )
    await record(one, site, years)
    let removed = false
    const removal = one.removeSite(site).then(() => {
      removed = true
    })
    while (!removed) {
      for (const store of [one, other]) {
        await store.counts(site, everyDay)
        await store.list(site, { range: everyDay, type: null, after: null, limit: 50 })
      }
      await new Promise(setImmediate)
    }
    await removal
    for (const store of [one, other]) {
      assert.deepEqual(await store.counts(site, everyDay), nothing)
      assert.deepEqual(await listAll(store, site), [])
    }
  })

  promise(
    'later appends to a removed site answer site-removed and record nothing, from any writer',
    async () => {
      const [one, other] = [suite.engine.stores.events, (await suite.another()).events]
      const site = newNumber()
      await record(one, site, [botEvent()])
      await record(other, site, [botEvent()])
      await one.removeSite(site)
      const batch = batchOf(site, [botEvent()], { importProgress: progressOf('late'), monthlyLimit: 0 })
      for (const store of [one, other]) {
        assert.deepEqual(await store.append(batch), { outcome: 'site-removed' })
        assert.equal(await assertRollUpsEqualList(store, site), 0)
        assert.deepEqual(await store.imports(site), [])
      }
    },
  )

  promise('a removal that meets appends leaves nothing of them', async () => {
    const [one, other] = [suite.engine.stores.events, (await suite.another()).events]
    const site = newNumber()
    await record(one, site, manyEvents(300))
    const appends = Array.from({ length: 30 }, (_, i) =>
      (i % 2 ? one : other).append(batchOf(site, manyEvents(10))),
    )
    await Promise.all([one.removeSite(site), ...appends])
    for (const store of [one, other]) assert.equal(await assertRollUpsEqualList(store, site), 0)
  })

  promise('what the account recorded for a removed site stays counted', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    await record(events, site, manyEvents(7))
    await events.removeSite(site)
    assert.equal(await events.usage(site, monthOf(noon)), 7)
    assert.equal((await events.usageOfSites([site], monthOf(noon))).size, 0)
  })

  promise('sites before and after a removed one keep every event', async () => {
    const { events } = suite.engine.stores
    const [before, site, after] = [newNumber(), newNumber(), newNumber()]
    const recorded = manyEvents(400)
    for (const each of [before, site, after]) {
      await record(events, each, recorded, { importProgress: progressOf(`log of ${each}`) })
    }
    const kept = await Promise.all([before, after].map(each => listAll(events, each)))
    await events.removeSite(site)
    assert.deepEqual(await Promise.all([before, after].map(each => listAll(events, each))), kept)
    for (const each of [before, after]) {
      assert.equal(await assertRollUpsEqualList(events, each), 400)
      assert.equal((await events.imports(each)).length, 1)
      await record(events, each, [botEvent()])
    }
  })

  promise('a removal can be repeated, and asked for of a site that never had events', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    await events.removeSite(site)
    await events.removeSite(site)
    assert.deepEqual(await events.append(batchOf(site, [botEvent()])), { outcome: 'site-removed' })
  })
}
