/** The roll-up of a day must come back whole from its row. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { lastDay } from '../../../domain/date-range.ts'
import { toDecimal, zeroSum } from '../../../domain/money.ts'
import {
  addToSubject,
  type DayTotals,
  dayKey,
  dayOfKey,
  decodeDay,
  emptyDay,
  encodeDay,
  hoursLength,
} from './sqlite-day.ts'

const count = fc.oneof(fc.nat({ max: 200 }), fc.nat({ max: 2 ** 52 - 1 }))
const cents = fc.oneof(fc.constant(0), fc.integer({ min: -1e14, max: 1e14 }))
const subject = fc.tuple(fc.integer({ min: 1, max: 2 ** 40 }), fc.record({ count, cents }))

const day: fc.Arbitrary<DayTotals> = fc
  .record({
    hours: fc.array(count, { minLength: hoursLength, maxLength: hoursLength, size: 'max' }),
    subjects: fc.uniqueArray(subject, { selector: ([id]) => id, maxLength: 200, size: 'max' }),
  })
  .map(({ hours, subjects }) => ({
    hours: Float64Array.from(hours),
    subjects: new Map(
      subjects.map(([id, each]) => [id, { count: each.count, value: toDecimal(each.cents / 100) }]),
    ),
  }))

const inOrder = (totals: DayTotals): unknown => [
  [...totals.hours],
  [...totals.subjects].sort(([a], [b]) => a - b),
]

test('any day comes back from its bytes, subjects in the order of their ids', () => {
  fc.assert(
    fc.property(day, totals => {
      const decoded = decodeDay(encodeDay(totals))
      assert.deepEqual([[...decoded.hours], [...decoded.subjects]], inOrder(totals))
    }),
  )
})

test('an empty day is 72 bytes', () => {
  assert.equal(encodeDay(emptyDay()).length, hoursLength)
  assert.deepEqual(decodeDay(encodeDay(emptyDay())), emptyDay())
})

test('counts and values of a subject add up', () => {
  const totals = emptyDay()
  for (let i = 0; i < 10; i++) addToSubject(totals, 7, toDecimal(0.1))
  addToSubject(totals, 7, zeroSum)
  addToSubject(totals, 8, zeroSum)
  assert.deepEqual(
    [...decodeDay(encodeDay(totals)).subjects],
    [
      [7, { count: 11, value: { whole: 1, billionths: 0 } }],
      [8, { count: 1, value: zeroSum }],
    ],
  )
})

test('the keys of a site lie together, apart from those of any other, and tell the day', () => {
  const site = fc.integer({ min: 1, max: 2 ** 31 - 2 })
  const anyDay = fc.integer({ min: 0, max: lastDay })
  fc.assert(
    fc.property(site, anyDay, anyDay, (number, a, b) => {
      assert.ok(Number.isSafeInteger(dayKey(number + 1, a)))
      assert.ok(dayKey(number, a) < dayKey(number + 1, b))
      assert.equal(dayKey(number, a) < dayKey(number, b), a < b)
      assert.equal(dayOfKey(dayKey(number, a)), a)
    }),
  )
})
