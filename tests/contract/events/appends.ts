/** Promises about what an acknowledged append is: whole, visible at once and everywhere, exactly as recorded. */
import assert from 'node:assert/strict'
import type { NewEvent } from '../../../src/domain/event.ts'
import { type EventStore, type SeriesPoint, unfiltered } from '../../../src/storage/event-store.ts'
import type { Suite } from '../engine.ts'
import { assertRollUpsEqualList, expectedCounts } from '../event-model.ts'
import {
  asRecorded,
  batchOf,
  botEvent,
  conversionEvent,
  dayRange,
  everyDay,
  exportAll,
  listAll,
  manyEvents,
  newestFirst,
  noon,
  record,
  referralEvent,
  someProvenance,
  withoutId,
} from '../sample-events.ts'

const newest = { range: everyDay, type: null, after: null, limit: 1000 }

async function assertEverywhere(store: EventStore, site: number, events: readonly NewEvent[]): Promise<void> {
  const day = dayRange(events[0]!.createdAt)
  assert.deepEqual(await store.counts(site, day), expectedCounts(events, day))
  assert.equal(total(await store.series(site, day, 'day')), events.length)
  assert.equal(total(await store.series(site, day, 'hour')), events.length)
  assert.equal((await store.list(site, newest)).length, events.length)
  assert.equal(await store.usage(site, monthOfNoon), events.length)
}

const total = (series: readonly SeriesPoint[]): number =>
  series.reduce((sum, { bot, referral, conversion }) => sum + bot + referral + conversion, 0)

const monthOfNoon = 2026 * 12 + 5

export function appendPromises(suite: Suite): void {
  const { promise, newNumber } = suite

  promise('an event comes back exactly as it was recorded, whatever its type', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const recorded = [
      botEvent({ createdAt: noon + 5, status: 404, bytes: 1_234, durationMs: 56 }),
      botEvent({ createdAt: noon + 4, status: null, bytes: 0, durationMs: 0 }),
      botEvent({ createdAt: noon + 3, status: 599, bytes: 2 ** 45, durationMs: null }),
      referralEvent({ createdAt: noon + 2, country: 'ZZ', status: null, durationMs: 86_400_000 }),
      conversionEvent({ createdAt: noon + 1, value: 49.99 }),
      conversionEvent({ createdAt: noon, value: null }),
      conversionEvent({ createdAt: noon - 1, value: 0 }),
    ]
    await record(events, site, recorded)
    assert.deepEqual((await listAll(events, site)).map(withoutId), recorded.map(asRecorded))
  })

  promise('what becomes of the array of events after append has returned changes nothing', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const recorded = manyEvents(200)
    const sent = [...recorded]
    const appended = events.append(batchOf(site, sent))
    sent.length = 0
    assert.equal((await appended).outcome, 'recorded')
    assert.deepEqual((await listAll(events, site)).map(withoutId), newestFirst(recorded).map(asRecorded))
  })

  promise('an append is in every answer asked for in the same turn as its acknowledgement', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const recorded: NewEvent[] = []
    for (let i = 0; i < 20; i++) {
      const added = botEvent({ name: `Bot ${i % 3}`, createdAt: noon + i })
      recorded.push(added)
      await record(events, site, [added])
      await assertEverywhere(events, site, recorded)
    }
  })

  promise('an append is at once in every answer of another opening of the same data', async () => {
    const [one, other] = [suite.engine.stores.events, (await suite.another()).events]
    const site = newNumber()
    const recorded: NewEvent[] = []
    for (let i = 0; i < 20; i++) {
      const added = conversionEvent({ name: `goal ${i % 3}`, createdAt: noon - i, value: 0.1 })
      recorded.push(added)
      await record(i % 2 === 0 ? one : other, site, [added])
      await assertEverywhere(i % 2 === 0 ? other : one, site, recorded)
    }
  })

  promise(
    'another opening that is asked without pause answers with an append once it is acknowledged',
    async () => {
      const { events } = suite.engine.stores
      const asked = (await suite.another()).events
      const site = newNumber()
      const day = dayRange(noon)
      let done = false
      const keepAsking = async (): Promise<void> => {
        while (!done) {
          await asked.counts(site, day)
          await new Promise(setImmediate)
        }
      }
      const asking = keepAsking()
      for (let i = 1; i <= 50; i++) {
        await record(events, site, [botEvent()])
        assert.equal((await asked.counts(site, day)).bot[0]?.count, i)
      }
      done = true
      await asking
    },
  )

  promise(
    'events of any order of time, with ties, are listed by time and then by id, both descending',
    async () => {
      const { events } = suite.engine.stores
      const site = newNumber()
      const times = [5, 1, 1, 9, 1, 5, 0, 12, 9, 1].map(ms => noon + ms)
      for (const [i, createdAt] of times.entries()) {
        await record(events, site, [
          botEvent({ createdAt, path: `/${i}` }),
          referralEvent({ createdAt, path: `/${i}` }),
        ])
      }
      const listed = await listAll(events, site)
      assert.equal(listed.length, 20)
      for (const [i, event] of listed.entries()) {
        const before = listed[i - 1]
        if (!before) continue
        assert.ok(
          before.createdAt > event.createdAt ||
            (before.createdAt === event.createdAt && before.id > event.id),
        )
      }
    },
  )

  promise('events that arrive late take their place in time', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const inTime = manyEvents(1200)
    const late = manyEvents(700, { name: 'ClaudeBot', company: 'Anthropic' }).map((event, i) => ({
      ...event,
      createdAt: noon - 50_000 + i * 100,
    }))
    await record(events, site, inTime)
    await record(events, site, late)
    const listed = await listAll(events, site)
    const times = (of: readonly { createdAt: number }[]): number[] => of.map(event => event.createdAt)
    assert.deepEqual(times(listed), times(newestFirst([...inTime, ...late])))
    assert.equal(await assertRollUpsEqualList(events, site), 1900)
  })

  promise('a full batch right before or right after what is stored is recorded like any other', async () => {
    const { events } = suite.engine.stores
    for (const [make, size] of [
      [botEvent, 280],
      [conversionEvent, 180],
    ] as const) {
      const site = newNumber()
      for (const start of [0, -size, size, -2 * size, 2 * size]) {
        const run = Array.from({ length: size }, (_, i) => make({ createdAt: noon + (start + i) * 10 }))
        await record(events, site, run)
      }
      assert.equal(await assertRollUpsEqualList(events, site), 5 * size)
    }
  })

  promise('ids are unique and below 2^53 when two writers record for the same sites at once', async () => {
    const writers = [suite.engine.stores.events, (await suite.another()).events]
    const sites = [newNumber(), newNumber()]
    const appends = writers.flatMap(writer =>
      sites.flatMap(site => Array.from({ length: 15 }, () => record(writer, site, manyEvents(20)))),
    )
    await Promise.all(appends)
    const listed = (await Promise.all(sites.map(site => listAll(writers[0]!, site)))).flat()
    assert.equal(listed.length, 1200)
    assert.equal(new Set(listed.map(event => event.id)).size, 1200)
    assert.ok(listed.every(({ id }) => Number.isSafeInteger(id) && id > 0))
    for (const site of sites) await assertRollUpsEqualList(writers[1]!, site)
  })

  promise(
    'an append that is refused leaves nothing behind and does not harm those made with it',
    async () => {
      const { events } = suite.engine.stores
      const site = newNumber()
      const broken = [botEvent({ name: 'before' }), { ...botEvent(), name: null as unknown as string }]
      const outcomes = await Promise.allSettled([
        events.append(batchOf(site, manyEvents(3))),
        events.append(batchOf(site, broken)),
        events.append(batchOf(site, [referralEvent()])),
      ])
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
      assert.equal(await assertRollUpsEqualList(events, site), 4)
      const { rows } = await events.breakdown(site, {
        range: everyDay,
        filter: unfiltered,
        dimensions: ['name'],
        orderBy: null,
        limit: null,
      })
      assert.deepEqual(rows.map(({ subject }) => subject?.name).sort(), ['ChatGPT', 'GPTBot'])
      assert.equal(await events.usage(site, monthOfNoon), 4)
    },
  )

  promise(
    'texts that first came in a refused append stay with their own events when they come again',
    async () => {
      const { events } = suite.engine.stores
      const site = newNumber()
      const visit = (text: string): NewEvent =>
        conversionEvent({
          name: `name of ${text}`,
          path: `/${text}`,
          provenance: {
            ...someProvenance,
            userAgent: `agent of ${text}`,
            assistant: `assistant of ${text}`,
            landing: `/landing of ${text}`,
          },
        })
      const broken: Partial<NewEvent>[] = [{ name: null as unknown as string }, { bytes: 0.5 }]
      for (let i = 0; i < 12; i++) {
        const refused = [visit(`refused ${i}`), visit(`refused too ${i}`), botEvent(broken[i % 2])]
        const outcomes = await Promise.allSettled([
          events.append(batchOf(site, [visit(`before ${i}`)])),
          events.append(batchOf(site, refused)),
          events.append(batchOf(site, [visit(`after ${i}`), visit(`refused ${i}`)])),
        ])
        assert.deepEqual(
          outcomes.map(({ status }) => status),
          ['fulfilled', 'rejected', 'fulfilled'],
        )
        await record(events, site, [visit(`next ${i}`), visit(`refused too ${i}`)])
      }
      const stored = await exportAll(events, site)
      const expected = ['after', 'before', 'next', 'refused', 'refused too'].flatMap(text =>
        Array.from({ length: 12 }, (_, i) => `/${text} ${i}`),
      )
      assert.deepEqual(stored.map(({ path }) => path).sort(), expected.sort())
      for (const {
        id: _,
        seenBy: _seenBy,
        judgement: _judgement,
        fingerprint: _fingerprint,
        ...event
      } of stored)
        assert.deepEqual(event, visit(event.path.slice(1)))
      assert.equal(await assertRollUpsEqualList(events, site), 12 * 5)
    },
  )

  promise(
    'no answer shows one part of a batch without the other, while batches are recorded',
    async () => {
      const writer = suite.engine.stores.events
      const reader = (await suite.another()).events
      const site = newNumber()
      const far = noon - 100 * 86_400_000
      const pair = [botEvent({ name: 'far', createdAt: far }), referralEvent({ name: 'near' })]
      let recording = true
      const recordMany = async (): Promise<void> => {
        for (let i = 0; i < 150; i++) await record(writer, site, pair)
        recording = false
      }
      const recorded = recordMany()
      while (recording) {
        const { bot, referral } = await reader.counts(site, everyDay)
        assert.equal(bot[0]?.count, referral[0]?.count)
        const [day] = await reader.series(site, dayRange(far), 'day')
        assert.ok((day?.bot ?? 0) >= (bot[0]?.count ?? 0), 'a later answer shows less')
        const listed = await reader.list(site, newest)
        assert.equal(listed.length % 2, 0)
        await new Promise(setImmediate)
      }
      await recorded
    },
    'whole-batches-in-answers',
  )

  promise('an append without events is recorded and changes no count', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    await record(events, site, [], { monthlyLimit: 0 })
    assert.equal(await assertRollUpsEqualList(events, site), 0)
  })
}
