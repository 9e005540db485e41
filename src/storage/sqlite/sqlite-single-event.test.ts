/** One event by itself must reach the writer as it would among others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../../tests/support/any-text.ts'
import { arrivals, eventTypes, type NewEvent } from '../../domain/event.ts'
import type { EventBatch } from '../event-store.ts'
import { packEvents } from './sqlite-packed-events.ts'
import { packSingleEvent, singleEventOf } from './sqlite-single-event.ts'

const textOrNull = fc.option(anyText())
const anyEvent: fc.Arbitrary<NewEvent> = fc
  .record({
    type: fc.constantFrom(...eventTypes),
    name: anyText(),
    company: anyText(),
    path: anyText(),
    country: fc.constantFrom('DE', 'ZZ'),
    createdAt: fc.nat(2e12),
    value: fc.option(fc.double({ min: -1e12, max: 1e12, noNaN: true })),
    provenance: fc.record({
      arrival: fc.constantFrom(...arrivals),
      userAgent: textOrNull,
      referrerHost: textOrNull,
      status: fc.option(fc.integer({ min: 100, max: 999 })),
      rule: textOrNull,
      catalogueVersion: textOrNull,
      source: textOrNull,
      landing: textOrNull,
    }),
    client: fc.option(fc.constantFrom('203.0.113.7', '203.0.113.8'), { nil: undefined }),
  })
  .map(({ client, ...event }) => ({ ...event, ...(client !== undefined && { client }) }))

const fingerprintsOf = (time: number, agent: string | null, client: string): number =>
  1 + ((time + (agent ?? '').length + client.length) % 65_535)

test('any event comes to the same as a batch of its own', () => {
  const intakes = [undefined, { arrival: 'hits', ignored: {}, duplicates: 0 } as const]
  fc.assert(
    fc.property(anyEvent, fc.constantFrom(...intakes), fc.option(fc.nat()), (event, intake, monthlyLimit) => {
      const batch = { site: 1, account: 2, now: 3, monthlyLimit, ...(intake && { intake }) }
      const single = structuredClone(singleEventOf({ ...batch, events: [event] }, fingerprintsOf)!)
      const { originText, ...same } = packSingleEvent(single)
      assert.deepEqual(same, { ...batch, events: packEvents([event], fingerprintsOf) })
      assert.equal(originText, single[6])
    }),
  )
})

test('batches that ask for more are left to the other way', () => {
  const event = fc.sample(anyEvent, 1)[0]!
  const batch: EventBatch = { site: 1, account: 2, now: 3, monthlyLimit: null, events: [event] }
  assert.notEqual(singleEventOf(batch, fingerprintsOf), null)
  const others: Partial<EventBatch>[] = [
    { events: [] },
    { events: [event, event] },
    { idempotency: { key: '', bodyHash: '', response: '' } },
    { onceKeys: ['a'] },
    { intake: { arrival: 'hits', ignored: { noise: 1 }, duplicates: 0 } },
    { intake: { arrival: 'hits', ignored: {}, duplicates: 1 } },
  ]
  for (const other of others) assert.equal(singleEventOf({ ...batch, ...other }, fingerprintsOf), null)
})
