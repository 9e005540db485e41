/** Promises about usage and the monthly limit of an account. */
import assert from 'node:assert/strict'
import { monthOf } from '../../../src/domain/date-range.ts'
import type { Suite } from '../engine.ts'
import { assertRollUpsEqualList } from '../event-model.ts'
import { batchOf, botEvent, listAll, manyEvents, noon, record } from '../sample-events.ts'

const month = monthOf(noon)

export function quotaPromises(suite: Suite): void {
  const { promise, newNumber } = suite

  promise('an account records exactly up to its limit and not one event more', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const send = (count: number) => events.append(batchOf(site, manyEvents(count), { monthlyLimit: 10 }))
    assert.deepEqual(await send(9), { outcome: 'recorded' })
    assert.deepEqual(await send(2), { outcome: 'over-quota', used: 9, limit: 10 })
    assert.deepEqual(await send(1), { outcome: 'recorded' })
    assert.deepEqual(await send(1), { outcome: 'over-quota', used: 10, limit: 10 })
    assert.deepEqual(await send(0), { outcome: 'recorded' })
    assert.equal(await assertRollUpsEqualList(events, site), 10)
    assert.equal(await events.usage(site, month), 10)
  })

  promise('a batch that is larger than the limit is refused whole', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const outcome = await events.append(batchOf(site, manyEvents(11), { monthlyLimit: 10 }))
    assert.deepEqual(outcome, { outcome: 'over-quota', used: 0, limit: 10 })
    assert.equal(await assertRollUpsEqualList(events, site), 0)
  })

  promise('the month is the UTC month of recording, whenever the events happened', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const lastOfJanuary = Date.UTC(2026, 0, 31, 23, 59, 59, 999)
    const old = [botEvent({ createdAt: Date.UTC(2020, 1, 29) })]
    const send = (now: number) => events.append(batchOf(site, old, { now, monthlyLimit: 1 }))
    assert.equal((await send(lastOfJanuary)).outcome, 'recorded')
    assert.equal((await send(lastOfJanuary)).outcome, 'over-quota')
    assert.equal((await send(lastOfJanuary + 1)).outcome, 'recorded')
    assert.equal((await send(lastOfJanuary + 1)).outcome, 'over-quota')
    const totals = [2019 * 12 + 12 + 1, 2026 * 12, 2026 * 12 + 1, 2026 * 12 + 2].map(each =>
      events.usage(site, each),
    )
    assert.deepEqual(await Promise.all(totals), [0, 1, 1, 0])
  })

  promise('all sites of an account share its limit, removed ones included', async () => {
    const { events } = suite.engine.stores
    const account = newNumber()
    const [first, second, third] = [newNumber(), newNumber(), newNumber()]
    const chosen = { account, monthlyLimit: 10 }
    await record(events, first, manyEvents(4), chosen)
    await record(events, second, manyEvents(5), chosen)
    await events.removeSite(first)
    assert.deepEqual(await events.append(batchOf(third, manyEvents(2), chosen)), {
      outcome: 'over-quota',
      used: 9,
      limit: 10,
    })
    await record(events, third, manyEvents(1), chosen)
    assert.equal(await events.usage(account, month), 10)
    assert.deepEqual(
      new Map(await events.usageOfSites([second, third, newNumber()], month)),
      new Map([
        [second, 5],
        [third, 1],
      ]),
    )
  })

  promise(
    'what is recorded for a site counts once in the month of its recording, from the moment of its acknowledgement on',
    async () => {
      const [one, other] = [suite.engine.stores.events, (await suite.another()).events]
      const [site, second] = [newNumber(), newNumber()]
      const lastOfJanuary = Date.UTC(2026, 0, 31, 23, 59, 59, 999)
      const expected = [0, 0]
      const usage = async (): Promise<void> => {
        for (const store of [one, other]) {
          const found = await Promise.all([0, 1].map(i => store.usageOfSites([site, second], 2026 * 12 + i)))
          assert.deepEqual(
            found.map(ofMonth => ofMonth.get(site) ?? 0),
            expected,
          )
          assert.deepEqual(
            found.map(ofMonth => ofMonth.get(second)),
            [undefined, undefined],
          )
        }
      }
      for (const count of [1, 1, 300, 5_000, 2]) {
        for (const [i, now] of [lastOfJanuary, lastOfJanuary + 1].entries()) {
          await record(i === 0 ? one : other, site, manyEvents(count), { now })
          expected[i]! += count
          await usage()
        }
        // Whatever is listed is no longer on its way.
        await listAll(one, site)
        await usage()
      }
    },
  )

  promise('one account does not use up the quota of another', async () => {
    const { events } = suite.engine.stores
    const [one, two] = [newNumber(), newNumber()]
    await record(events, one, manyEvents(10), { monthlyLimit: 10 })
    await record(events, two, manyEvents(10), { monthlyLimit: 10 })
    assert.equal(await events.usage(one, month), 10)
  })

  promise('an account without a limit records on, and is counted all the same', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    for (let i = 0; i < 3; i++) await record(events, site, manyEvents(1000), { monthlyLimit: null })
    assert.equal(await events.usage(site, month), 3000)
    assert.equal(
      (await events.append(batchOf(site, [botEvent()], { monthlyLimit: 3000 }))).outcome,
      'over-quota',
    )
  })

  promise(
    'the limit holds to the unit when two writers record for several sites at once',
    async () => {
      const account = newNumber()
      const sites = [newNumber(), newNumber(), newNumber()]
      const writers = [suite.engine.stores.events, (await suite.another()).events]
      const chosen = { account, monthlyLimit: 100 }
      await record(writers[0]!, sites[0]!, manyEvents(90), chosen)
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          writers[i % 2]!.append(batchOf(sites[i % 3]!, manyEvents(5), chosen)),
        ),
      )
      assert.equal(outcomes.filter(({ outcome }) => outcome === 'recorded').length, 2)
      assert.equal(await writers[1]!.usage(account, month), 100)
      let stored = 0
      for (const site of sites) stored += await assertRollUpsEqualList(writers[1]!, site)
      assert.equal(stored, 100)
    },
    'exact-quota',
  )
}
