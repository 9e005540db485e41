/** Each waiting piece of work must get a round of its own, in order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextRound } from './event-loop-rounds.ts'

test('those that wait at the same moment get rounds one after the other', async () => {
  let round = 0
  let running = true
  const count = (): void => {
    round++
    if (running) setImmediate(count)
  }
  count()
  const rounds = await Promise.all([1, 2, 3].map(() => nextRound().then(() => round)))
  running = false
  assert.equal(new Set(rounds).size, 3, `rounds ${rounds}`)
  assert.deepEqual(
    rounds,
    rounds.toSorted((a, b) => a - b),
  )
})
