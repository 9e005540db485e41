/** The largest of many are those that a full sort would put first. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { largest } from './sqlite-ranking.ts'

test('the largest come first, equal ones by id, and no more than asked for', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat({ max: 6 }), fc.nat()), { maxLength: 200 }),
      fc.nat({ max: 30 }),
      (all, most) => {
        const ids = [...new Set(all.map(([, id]) => id))]
        const weights = Float64Array.from(ids, (_, i) => all[i]![0])
        const expected = [...ids.keys()]
          .filter(i => weights[i]! > 0)
          .sort((a, b) => weights[b]! - weights[a]! || ids[a]! - ids[b]!)
          .slice(0, most)
        assert.deepEqual(
          largest(weights, i => ids[i]!, most),
          expected,
        )
      },
    ),
  )
})
