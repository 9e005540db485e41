/** What is spelled into bytes must be what JavaScript itself spells. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dayMs } from '../domain/date-range.ts'
import { fillTime, writeAscii, writeInteger, writeNumber } from './spell-bytes.ts'

type Write = (target: DataView, from: number, value: number) => number

/** What was written after two bytes that must stay, and nothing behind it. */
function written(write: Write, value: number): string {
  const bytes = Buffer.alloc(64, '.')
  const end = write(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 2, value)
  assert.equal(bytes.toString('latin1', 0, 2), '..')
  assert.match(bytes.toString('latin1', end), /^\.+$/)
  return bytes.toString('latin1', 2, end)
}

/** Both sides of every change of length. */
const powersOfTen = Array.from({ length: 16 }, (_, i) => [10 ** i - 1, 10 ** i, 10 ** i + 1]).flat()
const integer = fc.oneof(
  fc.constantFrom(...powersOfTen),
  fc.nat(),
  fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  fc.constant(Number.MAX_SAFE_INTEGER),
)

test('integers', () => {
  fc.assert(fc.property(integer, value => assert.equal(written(writeInteger, value), String(value))))
})

const number = fc.oneof(
  fc.double(),
  fc.double({ min: -1e12, max: 1e12 }),
  fc.integer({ min: -(10 ** 15), max: 10 ** 15 }).map(cents => cents / 100),
  fc.integer({ min: -2000, max: 2000 }).map(cents => cents / 100),
  integer,
  fc.constantFrom(0, -0, 0.1 + 0.2, 1e21, 1e-7, -1e-7, Number.MAX_VALUE, Number.MIN_VALUE, -Number.MAX_VALUE),
  fc.constantFrom(2 ** 49 / 100, 2 ** 49 / 100 + 0.01, 2 ** 53 / 100, Number.NaN, Number.POSITIVE_INFINITY),
)

test('numbers', () => {
  fc.assert(
    fc.property(number, value => assert.equal(written(writeNumber, value), JSON.stringify(value))),
    { numRuns: 2_000 },
  )
})

test('times of day', () => {
  const time = fc.oneof(fc.nat({ max: dayMs - 1 }), fc.constantFrom(0, 59_999, 60_000, 3_599_999, dayMs - 1))
  const write: Write = (target, from, value) => {
    const end = writeAscii(target, from, '00:00:00.000')
    fillTime(target, from, value)
    return end
  }
  fc.assert(
    fc.property(time, value =>
      assert.equal(written(write, value), new Date(value).toISOString().slice(11, -1)),
    ),
  )
})
