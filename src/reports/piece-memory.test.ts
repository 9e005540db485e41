/** Pieces must come back as they were remembered, whatever their length and number, and memory must stay within its bound. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../tests/support/any-text.ts'
import { copiedBeyond, PieceMemory } from './piece-memory.ts'

function copied(memory: PieceMemory, place: number): string {
  const length = memory.lengthOf(Uint32Array.of(place), 1)
  const bytes = Buffer.alloc(3 + length + copiedBeyond, '.')
  const end = memory.copy(place, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 3)
  assert.equal(end, 3 + length)
  assert.equal(bytes.toString('latin1', 0, 3), '...')
  return bytes.toString('utf8', 3, end)
}

const number = fc.oneof(fc.nat({ max: 3_000 }), fc.nat({ max: 2 ** 32 - 1 }))

test('every piece is found by its number and no other', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(number, anyText(60))), fc.array(number), (pieces, others) => {
      const memory = new PieceMemory(2 ** 30)
      const known = new Map<number, string>()
      for (const [each, text] of pieces) {
        if (known.has(each)) continue
        known.set(each, text)
        memory.remember(each, text)
      }
      for (const each of [...known.keys(), ...others]) {
        const place = memory.find(each)
        assert.equal(place === 0, !known.has(each))
        if (place !== 0) assert.equal(copied(memory, place), known.get(each)!.toWellFormed())
      }
    }),
  )
})

test('pieces of several mebibytes together are all there', () => {
  const memory = new PieceMemory(2 ** 30)
  const textOf = (number: number): string => `${number} `.repeat(1_000 + (number % 7))
  for (let number = 0; number < 1_000; number++) memory.remember(number, textOf(number))
  for (let number = 0; number < 1_000; number++)
    assert.equal(copied(memory, memory.find(number)), textOf(number))
})

test('beyond its bound it starts again empty, but only between pages', () => {
  const memory = new PieceMemory(10_000)
  const long = 'x'.repeat(9_000)
  memory.begin()
  const places = [1, 2].map(number => memory.remember(number, long))
  for (const place of places) assert.equal(copied(memory, place), long)
  memory.begin()
  assert.deepEqual([memory.find(1), memory.find(2)], [0, 0])
  assert.equal(copied(memory, memory.remember(2, 'again')), 'again')
  memory.begin()
  assert.notEqual(memory.find(2), 0)
})
