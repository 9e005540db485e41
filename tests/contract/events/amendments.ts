/** Promises about new judgements of stored events: they change what was judged, and nothing else. */
import assert from 'node:assert/strict'
import { dayMs, monthOf } from '../../../src/domain/date-range.ts'
import { type Judgement, notJudged } from '../../../src/domain/event.ts'
import type { Suite } from '../engine.ts'
import { assertRollUpsEqualList, expectedAttribution } from '../event-model.ts'
import {
  botEvent,
  conversionEvent,
  everyDay,
  exportAll,
  listAll,
  manyEvents,
  noon,
  record,
  referralEvent,
  someJudgement,
} from '../sample-events.ts'

export function amendmentPromises(suite: Suite): void {
  const { promise, newNumber } = suite
  const store = () => suite.engine.stores.events

  promise('an event has the judgement that it came with, or none', async () => {
    const site = newNumber()
    await record(store(), site, [
      botEvent({ createdAt: noon + 2 }),
      botEvent({ createdAt: noon + 1, judgement: someJudgement }),
      botEvent({ createdAt: noon, judgement: { ...notJudged, reason: 7 } }),
    ])
    const judgements = (await exportAll(store(), site)).map(({ judgement }) => judgement)
    assert.deepEqual(judgements, [{ ...notJudged, reason: 7 }, someJudgement, notJudged])
  })

  promise('amendments change the judgements of the events that are there, and tell how many', async () => {
    const [one, other] = [store(), (await suite.another()).events]
    const site = newNumber()
    const recorded = [
      ...manyEvents(20),
      referralEvent({ createdAt: noon - dayMs, status: 404, bytes: 10, durationMs: 3 }),
      conversionEvent({ createdAt: noon - 40 * dayMs, value: 0.1 }),
    ]
    await record(one, site, recorded)
    const before = await exportAll(one, site)
    const revision = await one.revision(site)
    const chosen = before.filter((_, i) => i % 3 === 0)
    const positions = [
      ...chosen,
      { createdAt: noon, id: 1 },
      { createdAt: chosen[0]!.createdAt + 1, id: chosen[0]!.id },
    ]
    const amendments = positions.map((position, i) => ({
      position,
      judgement: { ...someJudgement, reason: i + 10 },
    }))
    assert.equal(await other.amend(site, amendments, noon + 5), chosen.length)
    const reasons = new Map(chosen.map(({ id }, i) => [id, i + 10]))
    for (const each of [one, other]) {
      const expected = before.map(event => ({
        ...event,
        judgement: reasons.has(event.id)
          ? { ...someJudgement, reason: reasons.get(event.id)! }
          : event.judgement,
      }))
      assert.deepEqual(await exportAll(each, site), expected)
      assert.ok((await each.revision(site)) > revision)
      assert.equal(await assertRollUpsEqualList(each, site), recorded.length)
      assert.deepEqual(await each.attribution(site, everyDay), expectedAttribution(recorded, everyDay))
      assert.equal(await each.usage(site, monthOf(noon)), recorded.length)
    }
  })

  promise('a judgement can be taken back, and the last one of an event holds', async () => {
    const site = newNumber()
    await record(store(), site, [botEvent({ judgement: someJudgement })])
    const [position] = await listAll(store(), site)
    const amend = async (judgement: Judgement): Promise<Judgement> => {
      await store().amend(site, [{ position: position!, judgement }], noon)
      return (await store().find(site, position!))!.judgement
    }
    assert.deepEqual(await amend(notJudged), notJudged)
    assert.deepEqual(await amend({ ...notJudged, robots: 2 }), { ...notJudged, robots: 2 })
    assert.equal(await assertRollUpsEqualList(store(), site), 1)
  })

  promise('amendments of nothing that is there change nothing', async () => {
    const [site, other] = [newNumber(), newNumber()]
    await record(store(), site, [botEvent()])
    await record(store(), other, [botEvent()])
    const [position] = await listAll(store(), other)
    const revision = await store().revision(site)
    assert.equal(await store().amend(site, [{ position: position!, judgement: someJudgement }], noon), 0)
    assert.equal(await store().amend(site, [], noon), 0)
    assert.equal(await store().revision(site), revision)
    await store().removeSite(other)
    assert.equal(await store().amend(other, [{ position: position!, judgement: someJudgement }], noon), 0)
  })

  promise('amendments that meet appends to the same day lose none of them', async () => {
    const writers = [store(), (await suite.another()).events]
    const site = newNumber()
    await record(store(), site, manyEvents(50))
    const positions = await listAll(store(), site)
    await Promise.all(
      positions.flatMap((position, i) => [
        writers[i % 2]!.amend(site, [{ position, judgement: someJudgement }], noon),
        record(writers[(i >> 1) % 2]!, site, [botEvent({ name: `Bot ${i % 3}`, createdAt: noon + i })]),
      ]),
    )
    assert.equal(await assertRollUpsEqualList(store(), site), 100)
    const judged = (await exportAll(store(), site)).filter(({ judgement }) => judgement.verdict !== null)
    assert.equal(judged.length, 50)
  })
}
