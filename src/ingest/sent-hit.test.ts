/** Hits of trackers: the facts that they tell, countries that are none, and fields of newer trackers. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createDetector } from '../detection/create-detector.ts'
import type { BatchResult } from './incoming-batch.ts'
import { SentHitBatch } from './sent-hit.ts'

const now = Date.UTC(2026, 9, 10, 12)
const site = { id: 'site_1', number: 1, accountId: 'usr_1', domain: 'example.com', key: 'ak_1', createdAt: 0 }
const parts = { detector: createDetector({ excludedBots: new Set() }), countryOf: () => 'DE' }
const hit = { url: '/', user_agent: 'GPTBot/1.2' }

function take(...items: unknown[]): BatchResult {
  const batch = new SentHitBatch(parts, site, now)
  for (const [index, item] of items.entries()) batch.take(item, index)
  return batch.result()
}

describe('a hit', () => {
  test('may tell bytes and duration, which is kept in whole milliseconds', () => {
    const { events, load } = take(
      { ...hit, bytes: 2326, duration_ms: 12.6 },
      { ...hit, bytes: 0, duration_ms: 0 },
      { ...hit, bytes: null, duration_ms: null },
      { ...hit, url: '/a.css', bytes: 100, duration_ms: 1.2 },
    )
    assert.deepEqual(
      events.map(({ bytes, durationMs }) => [bytes, durationMs]),
      [
        [2326, 13],
        [0, 0],
        [null, null],
      ],
    )
    assert.deepEqual(load, [
      { day: 20_736, kind: 'ai-bot', requests: 3, bytes: 2326, durationMs: 13 },
      { day: 20_736, kind: 'asset', requests: 1, bytes: 100, durationMs: 1 },
    ])
  })

  for (const wrong of [
    { bytes: -1 },
    { bytes: 1.5 },
    { bytes: '12' },
    { bytes: 1e13 },
    { duration_ms: -0.1 },
    { duration_ms: '1' },
    { duration_ms: 1e10 },
  ]) {
    test(`with ${JSON.stringify(wrong)} is refused by the name of the field`, () => {
      const [field] = Object.keys(wrong)
      assert.throws(() => take(hit, { ...hit, ...wrong }), {
        code: 'INVALID_EVENT',
        message: new RegExp(`^Event 1, ${field}: `),
      })
    })
  }

  test('from what is no country comes from nowhere, and is recorded', () => {
    const countries = ['T1', 'XX', 'EU', 'ZZ', '', 'Deutschland', '12', 'us', 'GB', null]
    const { events } = take(...countries.map(country => ({ ...hit, country })))
    const kept = events.map(({ country }) => country)
    assert.deepEqual(kept, ['ZZ', 'ZZ', 'ZZ', 'ZZ', 'DE', 'ZZ', 'ZZ', 'US', 'GB', 'DE'])
  })

  test('may have fields that this version does not know; they are counted and not kept', () => {
    const { events, unknownFields, report } = take(
      { ...hit, tls_fingerprint: 'secret', robots: { a: 1 } },
      hit,
      { ...hit, url: '/a.css', tls_fingerprint: 'secret' },
    )
    assert.equal(unknownFields, 3)
    assert.ok(!JSON.stringify(events).includes('secret'))
    assert.deepEqual(report, {
      received: 3,
      recorded: { bot: 2, referral: 0 },
      ignored: { 'static-asset': 1 },
    })
  })
})
