/** Times of events are read by a quick way and a general one, which must agree; long batches leave turns to others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createDetector } from '../detection/create-detector.ts'
import { takeInTurns } from './incoming-batch.ts'
import { SentEventBatch } from './sent-event.ts'
import { createTimeReader } from './sent-time.ts'

const now = Date.UTC(2100, 0, 1)
const readTime = createTimeReader(now)
const read = (text: string): number => readTime(0, 'timestamp', text)

test('a time reads the same however it is spelled', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: now }), time => {
      const text = new Date(time).toISOString()
      const wholeSeconds = Math.floor(time / 1000) * 1000
      assert.equal(read(text), time)
      assert.equal(read(text.replace('Z', '+00:00')), time)
      assert.equal(read(`${text.slice(0, 19)}Z`), wholeSeconds)
      assert.equal(read(`${text.slice(0, 19)}z`), wholeSeconds)
    }),
  )
})

test('days and hours that do not exist are refused', () => {
  for (const text of ['2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01']) {
    assert.throws(() => read(text), { code: 'INVALID_EVENT' })
  }
})

test('a long batch leaves turns to others, and a bad item is told by its place in the whole', async () => {
  const detector = createDetector({ excludedBots: new Set() })
  const event = { type: 'referral', source: 'ChatGPT', page_path: '/' }
  const take = async (items: readonly unknown[]): Promise<{ turns: number; events: number }> => {
    const events = new SentEventBatch(detector, now)
    let turns = 0
    await takeInTurns(events, items, async () => {
      turns++
    })
    return { turns, events: events.result().events.length }
  }
  assert.deepEqual(await take(Array(250).fill(event)), { turns: 0, events: 250 })
  assert.deepEqual(await take(Array(1_001).fill(event)), { turns: 4, events: 1_001 })
  await assert.rejects(take([...Array(700).fill(event), {}]), {
    code: 'INVALID_EVENT',
    message: /^Event 700, /,
  })
})
