/** Numbers of lines must read as Intl would write them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { englishNumber } from './english-number.ts'

test('whole numbers are written as Intl writes them in English', () => {
  fc.assert(
    fc.property(fc.oneof(fc.nat(100_000), fc.maxSafeNat()), value => {
      assert.equal(englishNumber(value), value.toLocaleString('en'))
    }),
    { examples: [[0], [999], [1_000], [999_999], [1_000_000]] },
  )
})
