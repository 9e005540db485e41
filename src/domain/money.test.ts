/** Sums of values must be exactly what a person gets on paper. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addDecimals, fromDecimal, toDecimal, zeroSum } from './money.ts'

const billion = 1_000_000_000n

/** Up to nine decimals and fifteen digits: what a double holds exactly as a decimal. */
const nano = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n })
const cents = fc.integer({ min: -(10 ** 14), max: 10 ** 14 })

const sumOf = (values: readonly number[]): number =>
  fromDecimal(values.map(toDecimal).reduce(addDecimals, zeroSum))

/** The double nearest to an exact number of billionths, through its decimal spelling. */
function nearest(billionths: bigint): number {
  const size = billionths < 0n ? -billionths : billionths
  const text = `${size / billion}.${String(size % billion).padStart(9, '0')}`
  return billionths < 0n ? -Number(text) : Number(text)
}

test('ten times 0.1 is 1, and 0.1 + 0.2 is 0.3', () => {
  assert.equal(sumOf(Array(10).fill(0.1)), 1)
  assert.equal(sumOf([0.1, 0.2]), 0.3)
})

test('large and small values do not swallow each other', () => {
  assert.equal(sumOf([1e12, 0.01]), 1_000_000_000_000.01)
  assert.equal(sumOf([1e12, 0.01, -1e12]), 0.01)
  assert.equal(sumOf([1e-9, 1e-9]), 2e-9)
  assert.equal(sumOf([0.000_000_1, 123.4]), 123.400_000_1)
})

test('digits below a billionth are rounded', () => {
  assert.equal(sumOf([1e-10]), 0)
  assert.equal(sumOf([6e-10]), 1e-9)
  assert.equal(sumOf([0.999_999_999_9]), 1)
  assert.equal(sumOf([-0.999_999_999_9]), -1)
  assert.equal(sumOf([5e-324]), 0)
})

test('zero has no sign', () => {
  for (const values of [[-0], [-0.1, 0.1], [-1e-10], [0, -0]]) assert.ok(Object.is(sumOf(values), 0))
})

test('any value of up to nine decimals is its own sum', () => {
  fc.assert(fc.property(nano, billionths => assert.equal(sumOf([nearest(billionths)]), nearest(billionths))))
  fc.assert(fc.property(cents, each => assert.equal(sumOf([each / 100]), each / 100)))
})

test('a sum of values is the exact decimal sum, in any order', () => {
  const values = fc.array(nano, { maxLength: 30 })
  fc.assert(
    fc.property(values, billionths => {
      const exact = nearest(billionths.reduce((sum, each) => sum + each, 0n))
      const terms = billionths.map(nearest)
      assert.equal(sumOf(terms), exact + 0)
      assert.equal(sumOf(terms.toReversed()), exact + 0)
    }),
  )
})

test('a sum of sums is the sum of all, and billionths stay below one', () => {
  fc.assert(
    fc.property(fc.array(cents), fc.array(cents), (a, b) => {
      const [left, right] = [a, b].map(each =>
        each.map(value => toDecimal(value / 100)).reduce(addDecimals, zeroSum),
      )
      const sum = addDecimals(left!, right!)
      assert.equal(fromDecimal(sum), sumOf([...a, ...b].map(value => value / 100)))
      assert.ok(sum.billionths >= 0 && sum.billionths < 1e9 && Number.isInteger(sum.billionths))
    }),
  )
})
