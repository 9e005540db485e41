/** What is found sixty-four bytes at a time is what a simple loop finds. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ByteMarks, isMark, markedLength } from './byte-marks.ts'

const marks = new ByteMarks()

function found(bytes: Buffer, from: number, to: number): number[] {
  const count = marks.find(bytes, from, to)
  return [...marks.places.subarray(0, count)]
}

function expected(bytes: Buffer, from: number, to: number): number[] {
  return [...bytes.subarray(from, to)].flatMap((byte, place) => (isMark(byte) ? [place] : []))
}

describe('the marks of a run of bytes', () => {
  test('are each of the 256 bytes that is one, wherever it stands in sixty-four', () => {
    for (let byte = 0; byte < 256; byte++) {
      for (let place = 0; place < 66; place++) {
        const bytes = Buffer.alloc(80, 'a')
        bytes[place] = byte
        assert.deepEqual(found(bytes, 0, 80), isMark(byte) ? [place] : [], `${byte} at ${place}`)
      }
    }
  })

  test('are found between any two places, few or many', () => {
    const byte = fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(97, 98, 32, 127) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 255 }) },
      { weight: 1, arbitrary: fc.constantFrom(10, 34, 34, 92, 128, 255) },
    )
    const bytes = fc.array(byte, { maxLength: 300, size: 'max' }).map(values => Buffer.from(values))
    fc.assert(
      fc.property(bytes, fc.nat(50), fc.nat(300), (text, before, length) => {
        const from = Math.min(before, text.length)
        const to = Math.min(from + length, text.length)
        assert.deepEqual(found(text, from, to), expected(text, from, to))
      }),
      { numRuns: 1000 },
    )
  })

  test('are all bytes of the longest run when all are marks, and none when none is', () => {
    const all = Buffer.alloc(markedLength, '"')
    assert.deepEqual(found(all, 0, markedLength), expected(all, 0, markedLength))
    assert.deepEqual(found(Buffer.alloc(markedLength, 'a'), 0, markedLength), [])
  })
})
