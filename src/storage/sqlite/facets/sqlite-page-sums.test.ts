/** Counts of pages are what was added, wherever the ids lie and however large the sums are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { PageSums } from './sqlite-page-sums.ts'

const clusters = [1, 5_000, 2 ** 20, 2 ** 22, 2 ** 33]

const anyDay = fc.array(
  fc.record({
    id: fc
      .tuple(fc.constantFrom(...clusters), fc.nat({ max: 40 }))
      .map(([cluster, offset]) => cluster + offset * 7),
    type: fc.constantFrom(0, 1, 2),
    count: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(2 ** 31)),
  }),
  { minLength: 1, maxLength: 20 },
)

function countsOf(
  days: readonly (readonly { id: number; type: number; count: number }[])[],
): Map<number, number[]> {
  const sums = new PageSums()
  for (const day of days) {
    const ids = day.map(({ id }) => id)
    const total = day.reduce((sum, { count }) => sum + count, 0)
    sums.expect(total, day.length, Math.min(...ids), Math.max(...ids))
    for (const { id, type, count } of day) sums.counts[sums.placeOf(id) * 3 + type]! += count
    // "other" is always there.
    sums.counts[sums.placeOf(0) * 3]! += 1
  }
  const found = new Map<number, number[]>()
  for (let place = 0; place < sums.size; place++) {
    const counts = [...sums.counts.subarray(place * 3, place * 3 + 3)]
    if (counts.some(count => count > 0)) found.set(sums.idOf(place), counts)
  }
  return found
}

test('every page has its counts, near to the others or far away, earlier or later than them', () => {
  fc.assert(
    fc.property(fc.array(anyDay, { minLength: 1, maxLength: 8 }), days => {
      const expected = new Map([[0, [days.length, 0, 0]]])
      for (const { id, type, count } of days.flat()) {
        const counts = expected.get(id) ?? [0, 0, 0]
        counts[type]! += count
        expected.set(id, counts)
      }
      const inOrder = (counts: Map<number, number[]>) => [...counts].sort(([a], [b]) => a - b)
      assert.deepEqual(inOrder(countsOf(days)), inOrder(expected))
    }),
    { numRuns: 60 },
  )
})

test('a day that has only "other" pages needs no room', () => {
  const sums = new PageSums()
  sums.expect(5, 1, 0, 0)
  sums.counts[sums.placeOf(0) * 3 + 1]! += 5
  assert.deepEqual([...sums.counts.subarray(0, 3)], [0, 5, 0])
  assert.equal(sums.size, 1)
})
