/** Days must agree with a calendar that is counted month by month. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  dayMs,
  dayOf,
  formatDay,
  lastDay,
  monthOf,
  parseDateRange,
  parseDay,
  secondsToNextMonth,
} from './date-range.ts'
import { AppError } from './errors.ts'

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const lengthsOf = (year: number): number[] => [
  31,
  isLeap(year) ? 29 : 28,
  31,
  30,
  31,
  30,
  31,
  31,
  30,
  31,
  30,
  31,
]

const written = (year: number, month: number, day: number): string =>
  [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')

const code = (call: () => unknown): string => {
  try {
    call()
  } catch (error) {
    if (error instanceof AppError) return error.code
  }
  return 'no AppError'
}

test('every day from 1970-01-01 to 9999-12-31 is read and written as the calendar has it', () => {
  let day = 0
  for (let year = 1970; year <= 9999; year++) {
    // All days of some years, and the edges of every month of all.
    const whole = year < 1973 || year === 2000 || year === 2024 || year === 2100 || year === 9999
    for (const [month, length] of lengthsOf(year).entries()) {
      for (let date = 1; date <= length; date += whole ? 1 : length - 1) {
        const text = written(year, month + 1, date)
        assert.equal(parseDay(text), day + date - 1, text)
        assert.equal(formatDay(day + date - 1), text)
      }
      assert.equal(parseDay(written(year, month + 1, length + 1)), null)
      day += length
    }
  }
  assert.equal(day - 1, lastDay)
})

test('only YYYY-MM-DD of a real day is a day', () => {
  for (const text of [
    ...[
      '',
      ' ',
      '2026',
      '2026-06',
      '2026-6-1',
      '2026-06-1',
      '26-06-01',
      '20260601',
      '2026/06/01',
      '2026-06-01 ',
    ],
    ...[
      ' 2026-06-01',
      '2026-06-01T00:00:00Z',
      '2026-06-01\n',
      '2026-00-10',
      '2026-13-01',
      '2026-06-00',
      '2026-06-31',
    ],
    ...['2026-02-29', '2100-02-29', '1969-12-31', '0000-01-01', '10000-01-01', '+02026-06-01', '-2026-06-01'],
    ...['２０２６-06-01', '2026-06-01junk', 'today', '2026-W23-1', 'NaN-aN-aN', '2026−06−01'],
  ]) {
    assert.equal(parseDay(text), null, JSON.stringify(text))
  }
})

test('any text is a day only if that day is written so', () => {
  const digits = fc.integer({ min: 0, max: 99 }).map(each => String(each).padStart(2, '0'))
  const almost = fc
    .tuple(fc.integer({ min: 0, max: 9999 }), digits, digits)
    .map(([y, m, d]) => `${String(y).padStart(4, '0')}-${m}-${d}`)
  fc.assert(
    fc.property(fc.oneof(almost, fc.string()), text => {
      const day = parseDay(text)
      if (day !== null) assert.equal(formatDay(day), text)
      const [year, month, date] = text.split('-').map(Number)
      const real =
        /^\d{4}-\d\d-\d\d$/.test(text) &&
        year! >= 1970 &&
        date! >= 1 &&
        date! <= (lengthsOf(year!)[month! - 1] ?? 0)
      assert.equal(day !== null, real, text)
    }),
  )
})

test('a moment belongs to the UTC day that it lies in', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: lastDay }), fc.integer({ min: 0, max: dayMs - 1 }), (day, ms) => {
      assert.equal(dayOf(day * dayMs + ms), day)
    }),
  )
})

test('the range without parameters is today and the seven days before', () => {
  const now = Date.UTC(2026, 2, 3, 23, 59, 59, 999)
  const today = parseDay('2026-03-03')!
  assert.deepEqual(parseDateRange({}, now), { start: today - 7, end: today })
  assert.deepEqual(parseDateRange({ start: '2026-03-01' }, now), { start: today - 2, end: today })
  assert.deepEqual(parseDateRange({ end: '2026-03-10' }, now), { start: today - 7, end: today + 7 })
  assert.deepEqual(parseDateRange({ start: '1970-01-01', end: '9999-12-31' }, now), {
    start: 0,
    end: lastDay,
  })
  assert.deepEqual(parseDateRange({ start: '2026-03-03', end: '2026-03-03' }, now), {
    start: today,
    end: today,
  })
})

test('an invalid range is INVALID_DATE_RANGE, and the message names the parameter', () => {
  const now = Date.UTC(2026, 2, 3)
  for (const query of [
    { start: '2026-03-04' },
    { start: '2026-02-30' },
    { end: '' },
    { end: ['2026-03-01', '2026-03-02'] },
    { start: 20_000 },
    { start: null },
    { start: '2026-03-02', end: '2026-03-01' },
  ]) {
    assert.equal(
      code(() => parseDateRange(query, now)),
      'INVALID_DATE_RANGE',
      JSON.stringify(query),
    )
  }
  assert.throws(() => parseDateRange({ end: '2026-02-30' }, now), /^AppError: end is "2026-02-30"/)
  assert.throws(
    () => parseDateRange({ start: '2026-03-05', end: '2026-03-04' }, now),
    /2026-03-05.*2026-03-04/,
  )
})

test('months follow each other by one, and the seconds to the next end in it', () => {
  const moment = fc.integer({ min: 0, max: (lastDay - 31) * dayMs })
  fc.assert(
    fc.property(moment, now => {
      const next = now + secondsToNextMonth(now) * 1000
      assert.equal(monthOf(next), monthOf(now) + 1)
      // A second before that it has not begun.
      assert.equal(monthOf(next - 1001), monthOf(now))
    }),
  )
  assert.equal(monthOf(Date.UTC(2026, 0, 1)), 2026 * 12)
  assert.equal(secondsToNextMonth(Date.UTC(2026, 11, 31, 23, 59, 59, 999)), 1)
  assert.equal(secondsToNextMonth(Date.UTC(2024, 1, 1)), 29 * 86_400)
})
