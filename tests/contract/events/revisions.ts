/** Promises about the revision of a site, by which answers may be kept. */
import assert from 'node:assert/strict'
import type { Suite } from '../engine.ts'
import { batchOf, botEvent, noon, record } from '../sample-events.ts'

export function revisionPromises(suite: Suite): void {
  const { promise, newNumber } = suite

  promise('a revision changes with every append and never returns to an earlier value', async () => {
    const [one, other] = [suite.engine.stores.events, (await suite.another()).events]
    const site = newNumber()
    const seen = [await one.revision(site)]
    // Two writers whose clocks disagree, and one that stands still.
    for (const [i, now] of [noon, noon - 60_000, noon - 60_000, noon + 5, noon, 0].entries()) {
      await record(i % 2 === 0 ? one : other, site, [botEvent()], { now })
      seen.push(await one.revision(site))
      assert.equal(await other.revision(site), seen.at(-1))
    }
    await one.removeSite(site)
    seen.push(await one.revision(site))
    assert.deepEqual(
      seen,
      [...new Set(seen)].sort((a, b) => a - b),
    )
    assert.ok(seen.every(Number.isSafeInteger))
  })

  promise('a revision stands still while nothing is recorded for the site', async () => {
    const { events } = suite.engine.stores
    const [site, other] = [newNumber(), newNumber()]
    await record(events, site, [botEvent()])
    const revision = await events.revision(site)
    await record(events, other, [botEvent()])
    await events.append(batchOf(site, [botEvent()], { monthlyLimit: 1 }))
    await events.counts(site, { start: 0, end: 1 })
    assert.equal(await events.revision(site), revision)
  })
}
