/** Promises about requests that several sources report: each counts once, and two that one source reports are always two. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { dayMs, monthOf } from '../../../src/domain/date-range.ts'
import { type NewEvent, type Source, sameRequestMs } from '../../../src/domain/event.ts'
import type { EventStore } from '../../../src/storage/event-store.ts'
import type { Suite } from '../engine.ts'
import { assertRollUpsEqualList } from '../event-model.ts'
import {
  batchOf,
  botEvent,
  conversionEvent,
  exportAll,
  listAll,
  manyEvents,
  noon,
  record,
  referralEvent,
  someProvenance,
} from '../sample-events.ts'

const client = '203.0.113.9'

/** A request as one source reports it. */
const seenBy = (source: Source, chosen: Partial<NewEvent> = {}, userAgent = 'GPTBot/1.2'): NewEvent =>
  botEvent({ client, provenance: { ...someProvenance, source, userAgent }, ...chosen })

async function seenByOf(store: EventStore, site: number): Promise<(readonly Source[])[]> {
  const events = await Promise.all((await listAll(store, site)).map(event => store.find(site, event)))
  return events.map(event => event!.seenBy)
}

export function sameRequestPromises(suite: Suite): void {
  const { promise, newNumber } = suite
  const store = () => suite.engine.stores.events

  promise(
    'a request that three sources report is one event, which keeps its first provenance and tells of all three',
    async () => {
      const site = newNumber()
      await record(store(), site, [seenBy('import')])
      await record(store(), site, [seenBy('hits', { createdAt: noon + 900 })])
      await record((await suite.another()).events, site, [seenBy('vector', { createdAt: noon - 2_000 })])
      assert.equal(await assertRollUpsEqualList(store(), site), 1)
      assert.deepEqual(await seenByOf(store(), site), [['hits', 'import', 'vector']])
      const [event] = await listAll(store(), site)
      const found = await store().find(site, event!)
      assert.deepEqual([found?.createdAt, found?.provenance.source], [noon, 'import'])
    },
  )

  promise('a later report fills in what the first did not tell, and keeps what it did', async () => {
    const site = newNumber()
    const reports = [
      seenBy('snippet', { status: null }),
      seenBy('hits', { status: 404, durationMs: 0 }),
      seenBy('import', { status: 200, bytes: 5_120, durationMs: 71 }),
    ]
    const expected = [
      [null, null, null],
      [404, null, 0],
      [404, 5_120, 0],
    ]
    const revisions = new Set<number>()
    for (const [i, report] of reports.entries()) {
      await record(i % 2 === 0 ? store() : (await suite.another()).events, site, [report])
      const [event, ...more] = await exportAll(store(), site)
      assert.deepEqual(more, [])
      assert.deepEqual([event!.status, event!.bytes, event!.durationMs], expected[i])
      assert.equal(event!.seenBy.length, i + 1)
      assert.equal(event!.provenance.source, 'snippet')
      assert.equal(await assertRollUpsEqualList(store(), site), 1)
      revisions.add(await store().revision(site))
    }
    assert.equal(revisions.size, reports.length)
    // A report that brings nothing new may leave the revision as it is; who reported is told all the same.
    await record(store(), site, [seenBy('vercel', { status: 500, bytes: 1, durationMs: 1 })])
    const [event] = await exportAll(store(), site)
    assert.deepEqual([event!.status, event!.bytes, event!.durationMs], expected.at(-1))
    assert.deepEqual(event!.seenBy, ['hits', 'import', 'snippet', 'vercel'])
  })

  promise(
    'of several reports in one batch and in one transaction, none loses what another told',
    async () => {
      const reports = [
        seenBy('hits', { status: null, durationMs: 12 }),
        seenBy('import', { status: null, bytes: 345 }),
        seenBy('vercel', { status: 301 }),
      ]
      const [together, apart] = [newNumber(), newNumber()]
      await record(store(), together, reports)
      await Promise.all(reports.map(report => store().append(batchOf(apart, [report]))))
      for (const site of [together, apart]) {
        const [event, ...more] = await exportAll(store(), site)
        assert.deepEqual(more, [])
        assert.deepEqual([event!.status, event!.bytes, event!.durationMs], [301, 345, 12])
        assert.equal(await assertRollUpsEqualList(store(), site), 1)
      }
    },
  )

  promise('reports of one source, and events of senders who saw no client, are always as many', async () => {
    const site = newNumber()
    await record(store(), site, [seenBy('hits'), seenBy('hits')])
    await record(store(), site, [seenBy('hits')])
    await record(store(), site, [seenBy('import')])
    const { client: _, ...unseen } = seenBy('import')
    await record(store(), site, [
      unseen,
      { ...unseen, provenance: { ...unseen.provenance, source: 'events' } },
    ])
    assert.equal(await assertRollUpsEqualList(store(), site), 5)
  })

  promise('another client, page, name, kind of event or moment is another request', async () => {
    const site = newNumber()
    const others: Partial<NewEvent>[] = [
      { path: '/else' },
      { name: 'ClaudeBot' },
      { type: 'referral', company: '' },
      { createdAt: noon + sameRequestMs + 1 },
      { createdAt: noon - sameRequestMs - 1 },
    ]
    await record(store(), site, [seenBy('hits')])
    await record(
      store(),
      site,
      others.map(other => seenBy('import', other)),
    )
    // Sixteen bits tell clients apart all but once in 65,536 times; so many at once hardly ever fail to.
    const strangers = [1, 2, 3].flatMap(n => [
      seenBy('import', { client: `203.0.113.${n}` }),
      seenBy('import', {}, `GPTBot/${n}`),
    ])
    await record(store(), site, strangers)
    assert.ok((await assertRollUpsEqualList(store(), site)) >= 1 + others.length + strangers.length - 1)
    await record(store(), newNumber(), [seenBy('import')])
  })

  promise('moments up to 15 s apart are one request, also across midnight', async () => {
    for (const moment of [noon, noon + dayMs / 2, noon + dayMs / 2 - 1]) {
      for (const apart of [-sameRequestMs, -1, 0, 1, sameRequestMs]) {
        const site = newNumber()
        await record(store(), site, [seenBy('hits', { createdAt: moment })])
        await record(store(), site, [seenBy('snippet', { createdAt: moment + apart })])
        assert.equal(await assertRollUpsEqualList(store(), site), 1, `${apart} ms from ${moment}`)
      }
    }
  })

  promise('the nearest in time is taken, so that each report finds its own request', async () => {
    const site = newNumber()
    const times = [0, 4_000, 9_000].map(ms => noon + ms)
    await record(
      store(),
      site,
      times.map(createdAt => seenBy('hits', { createdAt })),
    )
    await record(store(), site, [seenBy('import', { createdAt: noon + 8_000 })])
    assert.deepEqual(await seenByOf(store(), site), [['hits', 'import'], ['hits'], ['hits']])
  })

  promise('reports of one transaction, and of one batch, find each other', async () => {
    const site = newNumber()
    const reporters: Source[] = ['hits', 'import', 'snippet', 'syslog']
    await Promise.all(reporters.map(source => store().append(batchOf(site, [seenBy(source)]))))
    assert.equal(await assertRollUpsEqualList(store(), site), 1)
    const together = newNumber()
    await record(
      store(),
      together,
      reporters.map(source => seenBy(source)),
    )
    assert.equal(await assertRollUpsEqualList(store(), together), 1)
    assert.deepEqual(await seenByOf(store(), together), [['hits', 'import', 'snippet', 'syslog']])
  })

  promise(
    'requests are found among thousands, whatever lies between and however often they are reported',
    async () => {
      const site = newNumber()
      const requests = Array.from({ length: 3_000 }, (_, i) => ({
        path: `/page/${i % 7}`,
        createdAt: noon + i * 700,
        client: `198.51.100.${i % 200}`,
      }))
      const reports = (source: Source): NewEvent[] =>
        requests.map(request =>
          seenBy(source, { ...request, createdAt: request.createdAt + (source === 'hits' ? 0 : 300) }),
        )
      await record(store(), site, reports('hits'))
      await record(store(), site, [...manyEvents(1_000), ...manyEvents(500, { createdAt: noon + 1_000_000 })])
      await record(store(), site, reports('import').reverse())
      for (const report of reports('cloudfront').slice(1_000, 1_100)) await record(store(), site, [report])
      assert.equal(await assertRollUpsEqualList(store(), site), 4_500)
      // What lies far apart: the first and the last alone.
      await record(store(), site, [reports('syslog')[0]!, reports('syslog').at(-1)!])
      assert.equal(await assertRollUpsEqualList(store(), site), 4_500)
      const counted = (await seenByOf(store(), site)).map(sources => sources.join()).sort()
      assert.equal(counted.filter(sources => sources === 'hits,import').length, 2_898)
    },
  )

  promise('what is counted once needs quota once, and a refused batch leaves no trace', async () => {
    const site = newNumber()
    await record(store(), site, [seenBy('hits')], { monthlyLimit: 2 })
    const later = seenBy('import', { createdAt: noon + dayMs })
    const refused = batchOf(site, [seenBy('import'), later, { ...later, path: '/else' }], { monthlyLimit: 2 })
    assert.deepEqual(await store().append(refused), { outcome: 'over-quota', used: 1, limit: 2 })
    assert.deepEqual(await seenByOf(store(), site), [['hits']])
    await record(store(), site, [seenBy('import'), later], { monthlyLimit: 2 })
    assert.equal(await store().usage(site, monthOf(noon)), 2)
    await record(store(), site, [seenBy('vercel')], { monthlyLimit: 2 })
    assert.equal(await assertRollUpsEqualList(store(), site), 2)
  })

  promise('a click and a conversion of one client are told apart, and values are added once', async () => {
    const site = newNumber()
    const { provenance } = seenBy('hits')
    const [click, sale] = [
      referralEvent({ client, provenance }),
      conversionEvent({ client, provenance, value: 5 }),
    ]
    const bySnippet = { provenance: { ...provenance, source: 'snippet' } } as const
    await record(store(), site, [click, sale])
    await record(store(), site, [
      { ...click, ...bySnippet },
      { ...sale, ...bySnippet },
    ])
    assert.equal(await assertRollUpsEqualList(store(), site), 2)
  })

  promise(
    'whoever saw which requests, in whatever order: what is counted is the most that any source saw',
    async () => {
      const reporters: Source[] = ['hits', 'import', 'snippet', 'vercel']
      const request = fc.record({
        /** Moments of one group lie within the window; groups are far apart. */
        group: fc.nat({ max: 3 }),
        page: fc.nat({ max: 1 }),
        /** By source: how late it tells the moment; null when it did not see the request. */
        seen: fc.tuple(...reporters.map(() => fc.option(fc.nat({ max: sameRequestMs })))),
        batch: fc.nat({ max: 5 }),
      })
      await fc.assert(
        fc.asyncProperty(
          fc.array(request, { maxLength: 25 }),
          fc.constantFrom(noon, noon + dayMs / 2),
          async (requests, start) => {
            const site = newNumber()
            const batches: NewEvent[][] = []
            const most = new Map<string, number[]>()
            for (const { group, page, seen, batch } of requests) {
              const key = `${group} ${page}`
              const counts = most.get(key) ?? reporters.map(() => 0)
              most.set(key, counts)
              seen.forEach((late, reporter) => {
                if (late === null) return
                counts[reporter]!++
                const createdAt = start + (group - 2) * 4 * sameRequestMs + late
                batches[(batch + reporter) % 6] ??= []
                batches[(batch + reporter) % 6]!.push(
                  seenBy(reporters[reporter]!, { path: `/${page}`, createdAt }),
                )
              })
            }
            const writers = [store(), (await suite.another()).events]
            await Promise.all(batches.map((events, i) => record(writers[i % 2]!, site, events)))
            const expected = [...most.values()].reduce((sum, counts) => sum + Math.max(...counts), 0)
            assert.equal(await assertRollUpsEqualList(store(), site), expected)
          },
        ),
        { numRuns: 60 },
      )
    },
  )
}
