/** The sums of what requests cost, by day and kind. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoadCounter } from './daily-load.ts'

const day = 86_400_000

test('requests are summed up by day and kind, and unknown costs add nothing', () => {
  const load = new LoadCounter()
  load.add('asset', { timeMs: 10 * day, bytes: 100, durationMs: 5 })
  load.add('asset', { timeMs: 11 * day - 1, bytes: null, durationMs: 7 })
  load.add('person', { timeMs: 10 * day, bytes: 1, durationMs: null })
  load.add('asset', { timeMs: 11 * day, bytes: 3, durationMs: null })
  assert.deepEqual(load.take(), [
    { day: 10, kind: 'asset', requests: 2, bytes: 100, durationMs: 12 },
    { day: 10, kind: 'person', requests: 1, bytes: 1, durationMs: 0 },
    { day: 11, kind: 'asset', requests: 1, bytes: 3, durationMs: 0 },
  ])
})

test('what was taken is not given again', () => {
  const load = new LoadCounter()
  load.add('other', { timeMs: 0, bytes: 1, durationMs: 1 })
  const [first] = load.take()
  load.add('other', { timeMs: 0, bytes: 2, durationMs: 2 })
  assert.deepEqual(load.take(), [{ day: 0, kind: 'other', requests: 1, bytes: 2, durationMs: 2 }])
  assert.equal(first?.bytes, 1)
})
