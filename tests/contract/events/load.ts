/** Promises about load: what all requests of a site cost it, counted as events or not. */
import assert from 'node:assert/strict'
import { dayOf } from '../../../src/domain/date-range.ts'
import type { Source } from '../../../src/domain/event.ts'
import type { DailyLoad, EventBatch } from '../../../src/storage/event-store.ts'
import { loadKinds } from '../../../src/storage/event-store.ts'
import type { Suite } from '../engine.ts'
import { batchOf, botEvent, everyDay, manyEvents, noon, record } from '../sample-events.ts'

const today = dayOf(noon)

const loadOf = (day: number, kind: DailyLoad['kind'], requests: number): DailyLoad => ({
  day,
  kind,
  requests,
  bytes: requests * 1_000,
  durationMs: requests * 7,
})

const broughtBy = (source: Source, load: readonly DailyLoad[]): Partial<EventBatch> => ({
  intake: { source, ignored: {}, duplicates: 0, load },
})

export function loadPromises(suite: Suite): void {
  const { promise, newNumber } = suite
  const store = () => suite.engine.stores.events
  /** In an order of its own within a day. */
  const rowsOf = async (site: number, range = everyDay, from = store()) => {
    const rows = await from.load(site, range)
    const days = rows.map(({ day }) => day)
    assert.deepEqual(
      days,
      days.toSorted((a, b) => a - b),
    )
    return rows.sort(
      (a, b) => a.day - b.day || `${a.source} ${a.kind}`.localeCompare(`${b.source} ${b.kind}`),
    )
  }

  promise('load adds up over batches by day, kind and source, for every opening', async () => {
    const site = newNumber()
    const other = (await suite.another()).events
    const load = [loadOf(today, 'person', 100), loadOf(today, 'asset', 400), loadOf(today - 1, 'person', 30)]
    await record(store(), site, manyEvents(2), broughtBy('import', load))
    await record(other, site, [], broughtBy('import', [loadOf(today, 'person', 11)]))
    await record(store(), site, [botEvent()], broughtBy('vercel', [loadOf(today, 'person', 1)]))
    await store().health(site)
    await other.health(site)
    for (const each of [store(), other]) {
      assert.deepEqual(await rowsOf(site, everyDay, each), [
        { ...loadOf(today - 1, 'person', 30), source: 'import' },
        { ...loadOf(today, 'asset', 400), source: 'import' },
        { ...loadOf(today, 'person', 111), source: 'import' },
        { ...loadOf(today, 'person', 1), source: 'vercel' },
      ])
    }
    assert.deepEqual(await rowsOf(site, { start: today - 1, end: today - 1 }), [
      { ...loadOf(today - 1, 'person', 30), source: 'import' },
    ])
    assert.deepEqual(await rowsOf(newNumber()), [])
  })

  promise('every kind of load is told apart, with sums beyond 32 bits', async () => {
    const site = newNumber()
    const load = loadKinds.map((kind, i) => ({
      ...{ day: today, kind, requests: i + 1 },
      bytes: 2 ** 42 + i,
      durationMs: 2 ** 35 + i,
    }))
    await record(store(), site, [botEvent()], broughtBy('syslog', load))
    await record(store(), site, [botEvent()], broughtBy('syslog', load))
    const byKind = new Map((await rowsOf(site)).map(({ source: _, ...row }) => [row.kind, row]))
    for (const { kind, requests, bytes, durationMs } of load)
      assert.deepEqual(byKind.get(kind), {
        ...{ day: today, kind },
        requests: requests * 2,
        bytes: bytes * 2,
        durationMs: durationMs * 2,
      })
  })

  promise('a batch that is not recorded brings no load, and a repeat brings none again', async () => {
    const site = newNumber()
    const load = broughtBy('hits', [loadOf(today, 'other', 1)])
    const idempotency = { key: 'key', bodyHash: '', response: '' }
    const outcomes = [
      await store().append(batchOf(site, [botEvent()], { ...load, monthlyLimit: 0 })),
      await store().append(batchOf(site, [botEvent()], { ...load, idempotency })),
      await store().append(batchOf(site, [botEvent()], { ...load, idempotency })),
    ]
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['over-quota', 'recorded', 'replayed'],
    )
    assert.deepEqual(await rowsOf(site), [{ ...loadOf(today, 'other', 1), source: 'hits' }])
  })
}
