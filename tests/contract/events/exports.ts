/** Promises about copies of a site: what is exported is everything, and what is imported is the same site. */
import assert from 'node:assert/strict'
import { dayMs, dayOf, lastDay, monthOf } from '../../../src/domain/date-range.ts'
import { type NewEvent, namedBySender, type Source } from '../../../src/domain/event.ts'
import { type EventStore, type ExportedEvent, unfiltered } from '../../../src/storage/event-store.ts'
import type { Suite } from '../engine.ts'
import { assertRollUpsEqualList, attributionOrder } from '../event-model.ts'
import {
  botEvent,
  conversionEvent,
  dayRange,
  everyDay,
  exportAll,
  listAll,
  manyEvents,
  noon,
  record,
  referralEvent,
  someJudgement,
  someProvenance,
} from '../sample-events.ts'

const client = '203.0.113.9'

/** Events that differ in everything that an event can differ in. */
const variety = (): NewEvent[] => [
  ...manyEvents(25, { client }),
  ...[0, noon, noon + 1, noon + 1, (lastDay + 1) * dayMs - 1].flatMap((createdAt, i) => [
    botEvent({ createdAt, name: '🦊', company: 'Größe', path: `/ü/${i}`, judgement: someJudgement }),
    referralEvent({ createdAt, country: 'ZZ', status: null, bytes: i * 1_000, durationMs: i, client }),
    conversionEvent({
      createdAt,
      value: [0.1, -2.5, null, 0, 1e12][i]!,
      provenance: { ...namedBySender, assistant: 'ChatGPT', landing: i % 2 === 0 ? '/pricing' : null },
    }),
  ]),
]

async function answersOf(store: EventStore, site: number) {
  const breakdowns = (['name', 'page', 'country', 'day'] as const).map(async dimension => {
    const query = { filter: unfiltered, orderBy: null, limit: null, range: everyDay, dimensions: [dimension] }
    const { rows, ...rest } = await store.breakdown(site, query)
    return { rows: rows.map(row => JSON.stringify(row)).sort(), ...rest }
  })
  return {
    counts: await store.counts(site, everyDay),
    days: await store.series(site, everyDay, 'day'),
    hours: await store.series(site, everyDay, 'hour'),
    extent: await store.extent(site),
    breakdowns: await Promise.all(breakdowns),
    attribution: (await store.attribution(site, everyDay)).sort(attributionOrder),
    list: await listAll(store, site),
  }
}

export function exportPromises(suite: Suite): void {
  const { promise, newNumber } = suite
  const store = () => suite.engine.stores.events

  promise('an export is oldest first, in pages of any size, with all that find tells', async () => {
    const site = newNumber()
    await record(store(), site, variety())
    const whole = await exportAll(store(), site)
    const listed = await listAll(store(), site)
    assert.deepEqual(
      whole.map(({ id }) => id),
      listed.map(({ id }) => id).reverse(),
    )
    for (const limit of [1, 7, listed.length])
      assert.deepEqual(await exportAll((await suite.another()).events, site, limit), whole)
    for (const { fingerprint, ...event } of whole) {
      assert.deepEqual(await store().find(site, event), event)
      if (fingerprint !== null) assert.ok(fingerprint > 0 && fingerprint < 2 ** 16)
    }
    assert.equal(whole.filter(({ fingerprint }) => fingerprint !== null).length, 30)
    assert.deepEqual(await store().exportSite(site, whole.at(-1)!, 10), [])
  })

  promise(
    'an import keeps ids and every field, and answers every question as the site it came from',
    async () => {
      const [site, copy] = [newNumber(), newNumber()]
      for (let i = 0; i < 3; i++) await record(store(), site, variety())
      const exported = await exportAll(store(), site)
      for (let from = 0; from < exported.length; from += 20)
        await store().importSite(copy, exported.slice(from, from + 20), noon)
      const expected = await answersOf(store(), site)
      for (const each of [store(), (await suite.another()).events]) {
        assert.deepEqual(await exportAll(each, copy), exported)
        assert.deepEqual(await answersOf(each, copy), expected)
        assert.equal(await assertRollUpsEqualList(each, copy), exported.length)
      }
      assert.ok((await store().revision(copy)) > 0)
    },
  )

  promise('an import can be repeated, in whatever pieces and order, and adds what is missing', async () => {
    const [site, copy] = [newNumber(), newNumber()]
    await record(store(), site, variety())
    const exported = await exportAll(store(), site)
    const pieces = [exported.slice(10, 30), exported, exported.slice(0, 5), exported.toReversed(), []]
    for (const piece of pieces) await store().importSite(copy, piece, noon)
    assert.deepEqual(await answersOf(store(), copy), await answersOf(store(), site))
    const revision = await store().revision(copy)
    await store().importSite(copy, exported, noon + 1)
    assert.deepEqual(await exportAll(store(), copy), exported)
    assert.equal(await store().revision(copy), revision, 'nothing was added')
  })

  promise('ids that are given out after an import are greater than those imported', async () => {
    const copy = newNumber()
    await record(store(), copy, [botEvent({ createdAt: noon - 1 })])
    const [local] = await exportAll(store(), copy)
    const farId = local!.id + 1_000_000
    const imported: ExportedEvent = { ...local!, createdAt: noon, id: farId }
    await store().importSite(copy, [imported], noon)
    for (const each of [(await suite.another()).events, store()]) {
      await record(each, copy, [botEvent({ createdAt: noon })])
      const [newest] = await each.list(copy, { range: everyDay, type: null, after: null, limit: 1 })
      assert.ok(newest!.id > farId, `${newest!.id} after ${farId}`)
    }
    assert.equal(await assertRollUpsEqualList(store(), copy), 4)
  })

  promise(
    'an import counts no quota and no health, and nothing of it comes back after a removal',
    async () => {
      const [site, copy] = [newNumber(), newNumber()]
      await record(store(), site, variety())
      await store().importSite(copy, await exportAll(store(), site), noon)
      assert.equal(await store().usage(copy, monthOf(noon)), 0)
      assert.equal((await store().usageOfSites([copy], monthOf(noon))).size, 0)
      assert.deepEqual(await store().health(copy), [])
      await store().removeSite(copy)
      assert.equal(await assertRollUpsEqualList(store(), copy), 0)
      assert.equal(await assertRollUpsEqualList(store(), site), variety().length)
    },
  )

  promise('reports of imported requests by other sources are known again', async () => {
    const [site, copy] = [newNumber(), newNumber()]
    const reportBy = (source: Source): NewEvent =>
      botEvent({
        client,
        provenance: { ...someProvenance, source },
        durationMs: source === 'import' ? 5 : null,
      })
    await record(store(), site, [reportBy('hits')])
    await store().importSite(copy, await exportAll(store(), site), noon)
    await record(store(), copy, [reportBy('import')])
    await record(store(), copy, [reportBy('hits')])
    const events = await exportAll(store(), copy)
    assert.deepEqual(
      events.map(({ durationMs, seenBy }) => [durationMs, seenBy]).sort(),
      [
        [5, ['hits', 'import']],
        [null, ['hits']],
      ].sort(),
    )
  })

  promise('events may be imported into days that have events, and all are counted', async () => {
    const [site, copy] = [newNumber(), newNumber()]
    await record(store(), site, manyEvents(30))
    await record(store(), copy, manyEvents(20, { name: 'ClaudeBot', company: 'Anthropic' }))
    await store().importSite(copy, await exportAll(store(), site), noon)
    assert.equal(await assertRollUpsEqualList(store(), copy), 50)
    assert.deepEqual(await store().extent(copy), { start: dayOf(noon), end: dayOf(noon) })
    assert.equal((await store().counts(copy, dayRange(noon))).bot.length, 2)
  })
}
