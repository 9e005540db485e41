/** Spans keep counts as narrow as they can; these tests hold the wide ones, which no test can reach by recording. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toDecimal, zeroSum } from '../../../domain/money.ts'
import { type DayTotals, emptyDay, encodeDay } from './sqlite-day.ts'
import { type Span, spanDays } from './sqlite-span.ts'
import { buildSpan } from './sqlite-span-builder.ts'

/** A day with so many bots in its last hour, all of one subject. */
function busyDay(subject: number, count: number, value = zeroSum): DayTotals {
  const day = emptyDay()
  day.hours[23 * 3] = count
  day.subjects.set(subject, { count, value })
  return day
}

/** The span of days by their place, of subjects 0 to 9 with names of the same index, or of another. */
const spanOf = (
  days: readonly (readonly [number, DayTotals])[],
  nameOf = (subject: number) => subject,
): Span =>
  buildSpan(
    0,
    new Uint8Array(),
    days.map(([place, day]) => ({ place, data: encodeDay(day) })),
    {
      indexes: Uint32Array.from({ length: 10 }, (_, subject) => nameOf(subject)),
      placeOf: subject => subject,
    },
    null,
  )

test('a running count stands at every boundary between days', () => {
  const span = spanOf([
    [0, busyDay(4, 10)],
    [2, busyDay(9, 1)],
    [31, busyDay(4, 5)],
  ])
  assert.deepEqual([...span.counts.subarray(0, span.width)], [4, 9])
  const runningOf = (index: number): number[] =>
    Array.from({ length: spanDays + 1 }, (_, boundary) => span.counts[(boundary + 1) * 2 + index]!)
  assert.deepEqual(runningOf(0), [0, ...Array(31).fill(10), 15])
  assert.deepEqual(runningOf(1), [0, 0, 0, ...Array(30).fill(1)])
})

test('more than 65,535 in an hour and more than 2^32 in a span are exact', () => {
  for (const count of [65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 40 + 1]) {
    const span = spanOf([
      [3, busyDay(1, count)],
      [4, busyDay(1, 1)],
    ])
    assert.equal(span.hours[3 * 72 + 23 * 3], count)
    assert.equal(span.counts.at(-1), count + 1)
  }
})

test('subjects of one name are one count and one sum', () => {
  const day = busyDay(1, 2, toDecimal(0.7))
  day.subjects.set(2, { count: 3, value: toDecimal(0.6) })
  const span = spanOf([[0, day]], () => 5)
  assert.deepEqual([...span.counts.subarray(0, span.width)], [5])
  assert.equal(span.counts.at(-1), 5)
  assert.deepEqual(
    [...span.values.subarray(0, span.valuedWidth), ...span.values.subarray(-2)],
    [5, 0, 1_300_000_000],
  )
})
