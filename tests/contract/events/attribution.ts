/** Promises about attribution: conversions by assistant, landing page and name are what filtering the events gives, to the cent. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type DateRange, dayMs, dayOf } from '../../../src/domain/date-range.ts'
import { eventTypes, type NewEvent, namedBySender, type Provenance } from '../../../src/domain/event.ts'
import type { AttributedCount, EventStore } from '../../../src/storage/event-store.ts'
import type { Suite } from '../engine.ts'
import { attributionOrder, expectedAttribution } from '../event-model.ts'
import { conversionEvent, dayRange, everyDay, noon, record, referralEvent } from '../sample-events.ts'

const from = (assistant: string | null, landing: string | null): Provenance => ({
  ...namedBySender,
  assistant,
  landing,
})

async function attribution(store: EventStore, site: number, range: DateRange): Promise<AttributedCount[]> {
  return (await store.attribution(site, range)).sort(attributionOrder)
}

/** Few of each, so that they meet; user agents must make no difference. */
const provenance: fc.Arbitrary<Provenance> = fc.record({
  source: fc.constantFrom('events', 'snippet'),
  userAgent: fc.constantFrom(null, 'one', 'two'),
  referrerHost: fc.constantFrom(null, 'chatgpt.com'),
  rule: fc.constantFrom(null, 'host:chatgpt.com'),
  catalogueVersion: fc.constant(null),
  assistant: fc.constantFrom(null, 'ChatGPT', 'chatgpt', 'Größe 🦊'),
  landing: fc.constantFrom(null, '/', '/pricing', '/日本語'),
})

const event: fc.Arbitrary<NewEvent> = fc
  .record({
    type: fc.constantFrom('conversion', 'conversion', 'conversion', ...eventTypes),
    name: fc.constantFrom('purchase', 'signup', ''),
    createdAt: fc.oneof(
      fc.integer({ min: noon - 40 * dayMs, max: noon }),
      // Both sides of midnight.
      fc
        .tuple(fc.nat({ max: 40 }), fc.constantFrom(-1, 0, 1))
        .map(([days, ms]) => (dayOf(noon) - days) * dayMs + ms),
    ),
    cents: fc.option(fc.integer({ min: -1_000_000, max: 1_000_000 })),
    provenance,
  })
  .map(({ type, name, createdAt, cents, provenance }) =>
    conversionEvent({
      ...{ type, name, createdAt, provenance },
      value: type === 'conversion' && cents !== null ? cents / 100 : null,
    }),
  )

const batch = fc.oneof(
  { weight: 3, arbitrary: fc.array(event, { maxLength: 8 }) },
  // More than one page of a file holds.
  { weight: 1, arbitrary: fc.array(event, { minLength: 150, maxLength: 400, size: 'max' }) },
)

const range: fc.Arbitrary<DateRange> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(everyDay) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.integer({ min: -1, max: 45 }), fc.integer({ min: -1, max: 45 }))
      .map(([a, b]) => ({ start: dayOf(noon) - Math.max(a, b), end: dayOf(noon) - Math.min(a, b) })),
  },
)

export function attributionPromises(suite: Suite): void {
  const { promise, newNumber } = suite

  promise(
    'conversions are counted by assistant, landing page and name, whatever else explains them',
    async () => {
      const { events } = suite.engine.stores
      const site = newNumber()
      const chatGpt = from('ChatGPT', '/pricing')
      await record(events, site, [
        conversionEvent({ value: 0.1, provenance: chatGpt }),
        conversionEvent({ value: 0.2, provenance: { ...chatGpt, userAgent: 'another', source: 'snippet' } }),
        conversionEvent({ name: 'purchase', provenance: chatGpt }),
        conversionEvent({ provenance: from('ChatGPT', null) }),
        conversionEvent({ value: -5, provenance: from(null, null) }),
        conversionEvent({ value: -1, provenance: from(null, '/nobody-knows-who') }),
        referralEvent({ provenance: chatGpt }),
      ])
      const none = { whole: 0, billionths: 0 }
      const attributed = { assistant: 'ChatGPT', landing: '/pricing' }
      assert.deepEqual(
        await attribution(events, site, dayRange(noon)),
        [
          { ...attributed, name: 'signup', count: 2, value: { whole: 0, billionths: 300_000_000 } },
          { ...attributed, name: 'purchase', count: 1, value: none },
          { assistant: 'ChatGPT', landing: null, name: 'signup', count: 1, value: none },
          { assistant: null, landing: null, name: 'signup', count: 2, value: { whole: -6, billionths: 0 } },
        ].sort(attributionOrder),
      )
    },
  )

  promise('attribution of a site without conversions, and of another site, is empty', async () => {
    const { events } = suite.engine.stores
    const [site, other] = [newNumber(), newNumber()]
    await record(events, site, [conversionEvent({ provenance: from('ChatGPT', '/') })])
    await record(events, other, [referralEvent()])
    for (const empty of [other, newNumber()]) assert.deepEqual(await events.attribution(empty, everyDay), [])
    await events.removeSite(site)
    assert.deepEqual(await events.attribution(site, everyDay), [])
  })

  promise('sums of values are exact where a number is not', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const values = [1e12, 0.123_456_789, 1e12, 0.000_000_001]
    await record(
      events,
      site,
      values.map(value => conversionEvent({ value, provenance: from('Claude', '/') })),
    )
    const [only] = await events.attribution(site, everyDay)
    assert.deepEqual(only?.value, { whole: 2e12, billionths: 123_456_790 })
  })

  promise('whatever was recorded in whatever order, attribution is as by filtering it', async () => {
    const writers = [suite.engine.stores.events, (await suite.another()).events] as const
    const step = fc.record({ batches: fc.array(batch, { maxLength: 3 }), writer: fc.nat({ max: 1 }), range })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async steps => {
        const site = newNumber()
        const recorded: NewEvent[] = []
        for (const { batches, writer, range } of steps) {
          await Promise.all(batches.map(each => record(writers[writer]!, site, each)))
          recorded.push(...batches.flat())
          for (const store of writers)
            for (const asked of [range, dayRange(noon - dayMs)])
              assert.deepEqual(await attribution(store, site, asked), expectedAttribution(recorded, asked))
        }
      }),
      { numRuns: 40 },
    )
  })
}
