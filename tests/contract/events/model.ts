/** Promises held by chance: random batches and questions, each answer compared with plain filters over what was recorded. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type DateRange, dayMs, dayOf, hourMs, lastDay } from '../../../src/domain/date-range.ts'
import {
  type EventPosition,
  type EventType,
  eventTypes,
  type Judgement,
  type NewEvent,
  notJudged,
  type Source,
  sameRequestMs,
  sources,
} from '../../../src/domain/event.ts'
import type {
  Amendment,
  BreakdownQuery,
  EventStore,
  ExportedEvent,
} from '../../../src/storage/event-store.ts'
import type { Suite } from '../engine.ts'
import {
  assertBreakdown,
  attributionOrder,
  expectedAttribution,
  expectedCounts,
  expectedPage,
  expectedSeries,
  listOrder,
} from '../event-model.ts'
import { botEvent, everyDay, exportAll, noon, record, someProvenance } from '../sample-events.ts'
import { anyFilter, groupings } from './breakdowns.ts'

/** Moments that meet each other: the same millisecond, both sides of midnight, leap days, long ago. */
const moment: fc.Arbitrary<number> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(noon, noon + 1, noon + 2) },
  { weight: 3, arbitrary: fc.integer({ min: noon - 3 * hourMs, max: noon + 3 * hourMs }) },
  { weight: 3, arbitrary: fc.integer({ min: noon - 100 * dayMs, max: noon }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.integer({ min: 0, max: 70 }), fc.constantFrom(-1, 0, 1, hourMs - 1, hourMs))
      .map(([days, ms]) => (dayOf(noon) - days) * dayMs + ms),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(0, 1, Date.UTC(2024, 1, 29), Date.UTC(2000, 0, 1), lastDay * dayMs),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: noon }) },
)

/** In the order of code units 🦊 comes before ￮, in that of UTF-8 after it. */
const names = ['GPTBot', 'gptbot', 'ClaudeBot', '', 'Größe', '￮', '🦊']
const paths = ['/', '/a', '/ü']

/** What a source may or may not tell of a request. */
interface Facts {
  readonly status: number | null
  readonly bytes: number | null
  readonly durationMs: number | null
}

const facts: fc.Arbitrary<Facts> = fc.record({
  status: fc.option(fc.constantFrom(200, 304, 404, 503)),
  bytes: fc.option(fc.oneof(fc.constantFrom(0, 2 ** 40), fc.nat())),
  durationMs: fc.option(fc.nat({ max: 60_000 })),
})

const event: fc.Arbitrary<NewEvent> = fc
  .record({
    type: fc.constantFrom(...eventTypes),
    name: fc.nat({ max: names.length - 1 }),
    path: fc.constantFrom(...paths),
    country: fc.constantFrom('DE', 'US', 'ZZ'),
    createdAt: moment,
    cents: fc.option(fc.integer({ min: 0, max: 1_000_000 })),
    facts,
    judgement: fc.constantFrom(notJudged, { ...notJudged, verdict: 1 }, { ...notJudged, robots: 1 }),
    assistant: fc.constantFrom(null, 'ChatGPT', 'Claude'),
  })
  .map(({ type, name, cents, facts, assistant, ...chosen }) =>
    botEvent({
      ...chosen,
      ...facts,
      type,
      name: names[name]!,
      company: type === 'bot' ? `company ${name % 3}` : '',
      value: type === 'conversion' && cents !== null ? cents / 100 : null,
      provenance: { ...someProvenance, assistant, landing: assistant && '/landing' },
    }),
  )

const batch: fc.Arbitrary<NewEvent[]> = fc.oneof(
  { weight: 4, arbitrary: fc.array(event, { maxLength: 8 }) },
  { weight: 1, arbitrary: fc.array(event, { minLength: 150, maxLength: 400, size: 'max' }) },
)

const range: fc.Arbitrary<DateRange> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(everyDay) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.integer({ min: -1, max: 110 }), fc.integer({ min: -1, max: 110 }))
      .map(([a, b]) => ({ start: dayOf(noon) - Math.max(a, b), end: dayOf(noon) - Math.min(a, b) })),
  },
)

const type: fc.Arbitrary<EventType | null> = fc.constantFrom(null, ...eventTypes)
const limit = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(100, 1000))

/** A later report of a stored event, which is chosen by number. */
interface Report {
  readonly pick: number
  readonly source: Source
  readonly lateMs: number
  readonly facts: Facts
}

const report: fc.Arbitrary<Report> = fc.record({
  pick: fc.nat(),
  source: fc.constantFrom('import', 'snippet', 'syslog'),
  lateMs: fc.integer({ min: -sameRequestMs, max: sameRequestMs }),
  facts,
})

const amendment = fc.record({
  pick: fc.nat(),
  verdict: fc.option(fc.integer({ min: 1, max: 5 })),
  robots: fc.option(fc.integer({ min: 1, max: 2 })),
})

type Known = Omit<ExportedEvent, 'fingerprint'>

/** A site with the events that it must have, which learn their ids from the store as they are recorded. */
class Recorded {
  readonly site: number
  readonly events: Known[] = []
  #count = 0
  #reasons = 0

  constructor(site: number) {
    this.site = site
  }

  /** Every third event saw a client, on a page of its own, so that nobody else's report can be taken for one of it. */
  async add(store: EventStore, batches: readonly NewEvent[][]): Promise<void> {
    const added = batches.map(each =>
      each.map(one => {
        const number = this.#count++
        const rule = `event ${number}`
        const sighted =
          number % 3 === 0 ? { path: `/client/${number}`, client: `192.0.2.${number % 256}` } : {}
        return { ...one, ...sighted, provenance: { ...one.provenance, rule } }
      }),
    )
    await Promise.all(added.map(each => record(store, this.site, each)))
    const stored = await this.#byRule(store)
    for (const { client: _, judgement = notJudged, ...one } of added.flat()) {
      const id = stored.get(one.provenance.rule)?.id
      assert.ok(id !== undefined, `${one.provenance.rule} is not there`)
      this.events.push({ ...one, id, judgement, seenBy: [one.provenance.source] })
    }
    this.#assertIs(stored)
  }

  /** Each is recorded by itself: of two reports in one batch it is not said which fills in first. */
  async report(store: EventStore, reports: readonly Report[]): Promise<void> {
    const sighted = this.events.filter(({ path }) => path.startsWith('/client/'))
    for (const { pick, source, lateMs, facts } of reports) {
      const known = sighted[pick % sighted.length]
      if (!known || known.seenBy.includes(source)) continue
      const number = Number(known.path.split('/').at(-1))
      const createdAt = Math.max(0, known.createdAt + lateMs)
      const provenance = { ...known.provenance, source, rule: 'reported again' }
      const { id: _, seenBy: __, ...sent } = { ...known, ...facts, createdAt, provenance }
      await record(store, this.site, [{ ...sent, client: `192.0.2.${number % 256}` }])
      this.#replace(known, {
        status: known.status ?? facts.status,
        bytes: known.bytes ?? facts.bytes,
        durationMs: known.durationMs ?? facts.durationMs,
        seenBy: sources.filter(each => each === source || known.seenBy.includes(each)),
      })
      sighted.splice(pick % sighted.length, 1)
    }
    if (reports.length > 0) this.#assertIs(await this.#byRule(store))
  }

  async amend(store: EventStore, chosen: readonly (Partial<Judgement> & { pick: number })[]): Promise<void> {
    const amendments = new Map<number, Amendment>()
    for (const { pick, verdict = null, robots = null } of chosen) {
      const position = this.events[pick % this.events.length] ?? { createdAt: noon, id: 1 + pick }
      // No event has the same twice, so that each amendment changes one.
      const reason = ++this.#reasons
      amendments.set(position.id, { position, judgement: { verdict, reason, evidence: null, robots } })
    }
    const changed = await store.amend(this.site, [...amendments.values()], noon)
    assert.equal(changed, this.events.length === 0 ? 0 : amendments.size)
    for (const known of [...this.events]) {
      const amended = amendments.get(known.id)
      if (amended) this.#replace(known, { judgement: amended.judgement })
    }
    if (chosen.length > 0) this.#assertIs(await this.#byRule(store))
  }

  #replace(known: Known, changed: Partial<Known>): void {
    this.events[this.events.indexOf(known)] = { ...known, ...changed }
  }

  async #byRule(store: EventStore): Promise<Map<string | null, Known>> {
    const stored = await exportAll(store, this.site)
    const entries = stored.map(({ fingerprint: _, ...each }) => [each.provenance.rule, each] as const)
    assert.equal(stored.length, new Map(entries).size, 'an event is there twice')
    return new Map(entries)
  }

  #assertIs(stored: ReadonlyMap<string | null, Known>): void {
    const byId = (events: Iterable<Known>): Known[] => [...events].sort((a, b) => a.id - b.id)
    assert.deepEqual(byId(stored.values()), byId(this.events))
  }
}

const asListed = ({ provenance: _, judgement: __, seenBy: ___, ...listed }: Known) => listed

export function modelPromises(suite: Suite): void {
  const { promise, newNumber } = suite

  promise(
    'whatever was recorded, reported again and judged anew in whatever order, every question is answered as by filtering it',
    async () => {
      const writers = [suite.engine.stores.events, (await suite.another()).events] as const
      const question = fc.record({
        range,
        type,
        limit,
        pick: fc.nat(),
        filter: anyFilter(names, paths),
        grouping: fc.nat({ max: groupings.length - 1 }),
      })
      const step = fc.record({
        batches: fc.array(batch, { maxLength: 3 }),
        reports: fc.array(report, { maxLength: 4 }),
        amendments: fc.array(amendment, { maxLength: 3 }),
        writer: fc.nat({ max: 1 }),
        question,
      })
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async steps => {
          const recorded = new Recorded(newNumber())
          const { site, events } = recorded
          for (const { batches, reports, amendments, writer, question } of steps) {
            await recorded.add(writers[writer]!, batches)
            await recorded.report(writers[1 - writer]!, reports)
            await recorded.amend(writers[writer]!, amendments)
            const { range, type, limit, pick, filter, grouping } = question
            const after: EventPosition | null = pick % 2 === 0 ? null : (events[pick % events.length] ?? null)
            const page = { range, type, after, limit }
            const groups: BreakdownQuery = {
              ...{ range, filter, limit },
              dimensions: groupings[grouping]!,
              orderBy: type,
            }
            for (const store of writers) {
              assert.deepEqual(await store.counts(site, range), expectedCounts(events, range))
              assert.deepEqual(await store.list(site, page), expectedPage(events, page).map(asListed))
              await assertBreakdown(store, site, events, groups)
              const attributed = await store.attribution(site, range)
              assert.deepEqual(attributed.sort(attributionOrder), expectedAttribution(events, range))
              for (const granularity of ['day', 'hour'] as const)
                assert.deepEqual(
                  await store.series(site, range, granularity),
                  expectedSeries(events, range, granularity),
                )
            }
            const found = events[pick % events.length]
            if (found) assert.deepEqual(await writers[writer]!.find(site, found), found)
          }
        }),
        { numRuns: 40 },
      )
    },
  )

  promise(
    'who pages while events arrive misses none and sees none twice, unless it is newer than his place',
    async () => {
      const { events: store } = suite.engine.stores
      const setting = fc.record({
        stored: batch,
        arriving: fc.array(fc.array(event, { maxLength: 5 }), { maxLength: 8 }),
        type,
        range,
        limit: fc.integer({ min: 1, max: 60 }),
      })
      await fc.assert(
        fc.asyncProperty(setting, async ({ stored, arriving, type, range, limit }) => {
          const recorded = new Recorded(newNumber())
          await recorded.add(store, [stored])
          const seen: EventPosition[] = []
          /** What came in behind the reader's back: newer than where he stood. */
          const passed = new Set<number>()
          const waiting = [...arriving]
          for (;;) {
            const after = seen.at(-1) ?? null
            const page = await store.list(recorded.site, { range, type, after, limit })
            seen.push(...page)
            if (page.length < limit) break
            const known = recorded.events.length
            await recorded.add(store, [waiting.pop() ?? []])
            for (const added of recorded.events.slice(known)) {
              if (listOrder(added, seen.at(-1)!) < 0) passed.add(added.id)
            }
          }
          const due = expectedPage(recorded.events, {
            range,
            type,
            after: null,
            limit: Number.MAX_SAFE_INTEGER,
          })
          assert.deepEqual(seen, due.filter(({ id }) => !passed.has(id)).map(asListed))
        }),
        { numRuns: 40 },
      )
    },
  )
}
