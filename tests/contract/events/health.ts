/** Promises about the health of a site's data: what each source delivered, what was not recorded and why. */
import assert from 'node:assert/strict'
import { dayMs, dayOf, hourMs } from '../../../src/domain/date-range.ts'
import type { NewEvent, Source } from '../../../src/domain/event.ts'
import type { EventStore, Intake, SourceHealth } from '../../../src/storage/event-store.ts'
import type { Suite } from '../engine.ts'
import { batchOf, botEvent, manyEvents, noon, record, someProvenance } from '../sample-events.ts'

const intakeOf = (source: Source, chosen: Partial<Intake> = {}): Intake => ({
  source,
  ignored: {},
  duplicates: 0,
  ...chosen,
})

async function healthOf(store: EventStore, site: number, source: Source): Promise<SourceHealth> {
  const found = (await store.health(site)).find(each => each.source === source)
  assert.ok(found, `nothing of ${source}`)
  const ignored = Object.values(found.ignored).reduce((sum, count) => sum + count, 0)
  assert.equal(found.received, found.recorded + found.merged + found.duplicates + ignored)
  return found
}

export function healthPromises(suite: Suite): void {
  const { promise, newNumber } = suite
  const store = () => suite.engine.stores.events

  promise('a site that nothing ever came for has no sources', async () => {
    const site = newNumber()
    await record(store(), site, [botEvent()])
    assert.deepEqual(await store().health(site), [])
  })

  promise('what came without events is counted after the events that came before it', async () => {
    const site = newNumber()
    const came = (seconds: number, events: readonly NewEvent[]): ReturnType<EventStore['append']> =>
      store().append(batchOf(site, events, { intake: intakeOf('hits'), now: noon + seconds * 1_000 }))
    await came(1, manyEvents(3))
    await came(2, manyEvents(3))
    await came(3, [])
    const { firstSeen, lastSeen, longestPauseMs } = await healthOf(store(), site, 'hits')
    assert.deepEqual([firstSeen, lastSeen, longestPauseMs], [noon + 1_000, noon + 3_000, 1_000])
  })

  promise('counts what came with events, in the same transaction and for every opening', async () => {
    const site = newNumber()
    const intake = intakeOf('hits', {
      ignored: { 'no-assistant': 5, method: 0 },
      duplicates: 2,
      unknownFields: 3,
    })
    await record(store(), site, manyEvents(3), { intake, now: noon + 1_000 })
    const late = botEvent({ createdAt: noon - dayMs })
    await record((await suite.another()).events, site, [late, botEvent()], {
      intake: intakeOf('hits', { ignored: { 'no-assistant': 1, redirect: 1 }, unknownFields: 2 }),
      now: noon + 2_000,
    })
    await record(store(), site, manyEvents(4), { intake: intakeOf('events') })
    for (const each of [store(), (await suite.another()).events]) {
      assert.deepEqual(
        (await each.health(site)).map(({ source }) => source),
        ['events', 'hits'],
      )
      assert.deepEqual(await healthOf(each, site, 'hits'), {
        source: 'hits',
        firstSeen: noon + 1_000,
        lastSeen: noon + 2_000,
        longestPauseMs: 1_000,
        received: 14,
        recorded: 5,
        merged: 0,
        late: 1,
        duplicates: 2,
        ignored: { 'no-assistant': 6, redirect: 1 },
        unknownFields: 5,
        rejected: 0,
        lastRejection: null,
        days: [{ day: dayOf(noon), received: 14, recorded: 5, merged: 0 }],
      })
    }
  })

  promise('what another source had reported is counted with the source that came second', async () => {
    const site = newNumber()
    const seenBy = (source: Source): NewEvent =>
      botEvent({ client: '203.0.113.9', provenance: { ...someProvenance, source } })
    await record(store(), site, [seenBy('hits')], { intake: intakeOf('hits') })
    const both = [seenBy('vercel'), { ...seenBy('vercel'), path: '/else' }]
    await record(store(), site, both, { intake: intakeOf('vercel') })
    const [hits, vercel] = [await healthOf(store(), site, 'hits'), await healthOf(store(), site, 'vercel')]
    assert.deepEqual([hits.recorded, hits.merged], [1, 0])
    assert.deepEqual([vercel.received, vercel.recorded, vercel.merged], [2, 1, 1])
  })

  promise('intakes of which nothing is recorded count too, and make no revision', async () => {
    const site = newNumber()
    await record(store(), site, [botEvent()])
    const revision = await store().revision(site)
    for (const now of [noon, noon + 5]) {
      await record(store(), site, [], { intake: intakeOf('hits', { ignored: { method: 2 } }), now })
    }
    const { received, ignored, firstSeen, lastSeen } = await healthOf(store(), site, 'hits')
    assert.deepEqual([received, ignored, firstSeen, lastSeen], [4, { method: 4 }, noon + 5, noon + 5])
    assert.equal(await store().revision(site), revision)
    assert.equal((await healthOf((await suite.another()).events, site, 'hits')).received, 4)
  })

  promise(
    'a repeated request is all duplicates',
    async () => {
      const site = newNumber()
      const idempotency = { key: 'key', bodyHash: 'hash', response: '' }
      const batch = batchOf(site, manyEvents(3), {
        idempotency,
        intake: intakeOf('hits', { ignored: { method: 4 } }),
      })
      assert.equal((await store().append(batch)).outcome, 'recorded')
      assert.equal((await store().append(batch)).outcome, 'replayed')
      assert.equal((await store().append(batch)).outcome, 'replayed')
      const { received, recorded, ignored, duplicates } = await healthOf(store(), site, 'hits')
      assert.deepEqual([received, recorded, ignored, duplicates], [21, 3, { method: 4 }, 14])
    },
    'repeats-are-recognised',
  )

  promise('a refused batch is no delivery; a rejection is counted with its moment and reason', async () => {
    const site = newNumber()
    const batch = batchOf(site, manyEvents(2), { monthlyLimit: 1, intake: intakeOf('hits') })
    assert.equal((await store().append(batch)).outcome, 'over-quota')
    assert.deepEqual(await store().health(site), [])
    store().countRejected(site, { source: 'hits', reason: 'INVALID_JSON', now: noon })
    store().countRejected(site, { source: 'hits', reason: 'LIMIT_EXCEEDED', now: noon + 7 })
    const { firstSeen, lastSeen, received, rejected, lastRejection } = await healthOf(store(), site, 'hits')
    assert.deepEqual([firstSeen, lastSeen, received, rejected], [null, null, 0, 2])
    assert.deepEqual(lastRejection, { at: noon + 7, reason: 'LIMIT_EXCEEDED' })
    await record(store(), site, [botEvent()], { intake: intakeOf('hits'), now: noon + 9 })
    const later = await healthOf(store(), site, 'hits')
    assert.deepEqual([later.lastSeen, later.rejected], [noon + 9, 2])
  })

  promise('keeps the last seven days one by one, and the longest pause of two weeks', async () => {
    const site = newNumber()
    const monday = noon - (dayOf(noon) % 7) * dayMs
    const pauses = [0, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1].map(days => days * dayMs)
    let now = monday
    const seen: [days: number, pauseMs: number][] = []
    for (const pause of pauses) {
      now += pause
      await record(store(), site, [botEvent({ createdAt: now })], { intake: intakeOf('import'), now })
      const { days, longestPauseMs } = await healthOf(store(), site, 'import')
      assert.ok(days.every(({ day, recorded }) => day > dayOf(now) - 7 && recorded === 1))
      seen.push([days.length, longestPauseMs])
    }
    // Three days of silence are forgotten when two more weeks have begun.
    assert.deepEqual(
      seen.map(([, pauseMs]) => pauseMs / dayMs),
      [0, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 1, 1],
    )
    assert.deepEqual(seen.at(-1)![0], 7)
    now += 12 * dayMs + hourMs
    await record(store(), site, [botEvent({ createdAt: now })], { intake: intakeOf('import'), now })
    const { days, longestPauseMs, recorded } = await healthOf(store(), site, 'import')
    assert.deepEqual([days.length, longestPauseMs, recorded], [1, 12 * dayMs + hourMs, pauses.length + 1])
  })

  promise('many deliveries at once, of two writers, are all counted', async () => {
    const site = newNumber()
    const writers = [store(), (await suite.another()).events]
    await Promise.all(
      Array.from({ length: 60 }, (_, i) => {
        const events = i % 3 === 0 ? [] : manyEvents(i % 3)
        const intake = intakeOf(i % 2 ? 'hits' : 'snippet', { ignored: { method: 1 } })
        return writers[i % 2]!.append(batchOf(site, events, { intake }))
      }),
    )
    await Promise.all(writers.map(writer => writer.health(site)))
    const sources = await Promise.all(
      ['hits', 'snippet'].map(source => healthOf(store(), site, source as Source)),
    )
    assert.deepEqual(
      sources.map(({ recorded, ignored }) => [recorded, ignored]),
      [
        [30, { method: 30 }],
        [30, { method: 30 }],
      ],
    )
  })

  promise('goes with the site', async () => {
    const site = newNumber()
    await record(store(), site, [botEvent()], { intake: intakeOf('hits') })
    store().countRejected(site, { source: 'events', reason: 'INVALID_JSON', now: noon })
    await store().removeSite(site)
    assert.deepEqual(await store().health(site), [])
    store().countRejected(site, { source: 'events', reason: 'INVALID_JSON', now: noon })
    assert.deepEqual(await store().health(site), [])
  })
}
