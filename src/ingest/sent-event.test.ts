/** Times of events are read by a quick way and a general one, which must agree. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
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
