/** Packed numbers must come back as they were, up to the largest that a sum can be. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ByteReader, ByteWriter } from './sqlite-bytes.ts'

/** Every size of a number is as likely as every other. */
const unsigned = fc.oneof(
  fc.nat(),
  fc
    .tuple(fc.nat({ max: 53 }), fc.nat())
    .map(([bits, rest]) => Math.min(2 ** bits + (rest % 3) - 1, 2 ** 53)),
  fc.constantFrom(0, 127, 128, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 2 ** 60, 2 ** 69),
)

test('any row of numbers up to 2^53, and powers beyond, comes back from its bytes', () => {
  const writer = new ByteWriter()
  fc.assert(
    fc.property(fc.array(unsigned, { maxLength: 3000, size: 'max' }), numbers => {
      for (const number of numbers) writer.number(number)
      const reader = new ByteReader(writer.take())
      for (const number of numbers) {
        assert.ok(!reader.done)
        assert.equal(reader.number(), number)
      }
      assert.ok(reader.done)
    }),
    { numRuns: 30 },
  )
})

test('a number takes one byte for each seven bits', () => {
  const writer = new ByteWriter()
  for (const [number, bytes] of [
    [0, 1],
    [127, 1],
    [128, 2],
    [16_383, 2],
    [16_384, 3],
    [2 ** 53, 8],
  ] as const) {
    writer.number(number)
    assert.equal(writer.take().length, bytes, String(number))
  }
})

test('sums of values come back with their sign, small or beyond 2^53', () => {
  const writer = new ByteWriter()
  const whole = fc.tuple(unsigned, fc.constantFrom(1, -1)).map(([size, sign]) => size * sign + 0)
  const sum = fc.record({ whole, billionths: fc.nat({ max: 999_999_999 }) })
  fc.assert(
    fc.property(fc.array(sum, { maxLength: 500, size: 'max' }), sums => {
      for (const each of sums) writer.decimal(each)
      const reader = new ByteReader(writer.take())
      for (const each of sums) assert.deepEqual(reader.decimal(), { ...each })
      assert.ok(reader.done)
    }),
    { numRuns: 30 },
  )
})

test('what was taken does not change when the writer goes on', () => {
  const writer = new ByteWriter()
  writer.number(300)
  const first = writer.take()
  writer.number(5)
  writer.number(6)
  assert.equal(new ByteReader(first).number(), 300)
  assert.equal(writer.take().length, 2)
})
