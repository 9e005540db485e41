/** Points written from templates must say what points written one by one say, whatever the range and the numbers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatDay, lastDay } from '../domain/date-range.ts'
import { allCounts, type Series } from '../storage/series.ts'
import { pointsJson } from './series-template.ts'

const count = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.nat({ max: 255 }) },
  fc.nat({ max: 2 ** 31 + 10 }),
  fc.nat({ max: 2 ** 53 - 1 }),
)

/** Memory that was used before. */
const filled = (length: number): Buffer => Buffer.alloc(length, '7')

/** Days from any one on, and runs that cover some of their points. */
const question = fc
  .record({
    granularity: fc.constantFrom('day' as const, 'hour' as const),
    start: fc.oneof(fc.nat({ max: lastDay - 100 }), fc.constant(0), fc.constant(lastDay)),
    dayCount: fc.oneof(fc.integer({ min: 1, max: 70 }), fc.constant(1)),
    points: fc.array(fc.tuple(count, count, count), { maxLength: 200, size: 'max' }),
    narrow: fc.boolean(),
    skipped: fc.nat({ max: 40 }),
  })
  .map(({ granularity, start, dayCount, points, narrow, skipped }) => {
    const range = { start, end: Math.min(lastDay, start + dayCount - 1) }
    const pointCount = (range.end - start + 1) * (granularity === 'hour' ? 24 : 1)
    const taken = points.slice(0, Math.max(0, pointCount - skipped)).flat()
    const counts = narrow ? Uint8Array.from(taken, each => each % 256) : Float64Array.from(taken)
    const half = Math.floor(points.length / 2) * 3
    const runs = [
      { at: skipped * 3, counts, from: 0, to: Math.min(half, counts.length) },
      { at: skipped * 3 + half, counts, from: half, to: counts.length },
    ]
    return { granularity, range, series: runs.filter(({ from, to }) => from < to) as Series }
  })

test('a series of any range has every point with its own time and numbers', () => {
  fc.assert(
    fc.property(question, ({ granularity, range, series }) => {
      const counts = allCounts(series, range, granularity)
      const times = []
      for (let day = range.start; day <= range.end; day++) {
        if (granularity === 'day') times.push({ date: formatDay(day) })
        else {
          for (let hour = 0; hour < 24; hour++)
            times.push({ datetime: `${formatDay(day)} ${String(hour).padStart(2, '0')}:00` })
        }
      }
      const expected = times.map((time, i) => ({
        ...time,
        bot_visits: counts[i * 3],
        referrals: counts[i * 3 + 1],
        conversions: counts[i * 3 + 2],
      }))
      assert.deepEqual(JSON.parse(String(pointsJson(range, granularity, series, '[', ']', filled))), expected)
    }),
    { numRuns: 300 },
  )
})
