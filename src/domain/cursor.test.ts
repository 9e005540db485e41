/** A cursor must decode to exactly its position and filters, and texts made elsewhere must be refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeCursor, decodePosition, encodeCursor, encodePosition } from './cursor.ts'
import { dayMs, lastDay } from './date-range.ts'
import { eventTypes } from './event.ts'

const anyPosition = fc.record({
  createdAt: fc.oneof(
    fc.integer({ min: 0, max: (lastDay + 1) * dayMs - 1 }),
    fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER),
  ),
  id: fc.oneof(
    fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    fc.constantFrom(0, 2 ** 48 - 1, 2 ** 48, Number.MAX_SAFE_INTEGER),
  ),
})

const anyDay = fc.nat({ max: lastDay })
const cursorContent = fc.record({
  position: anyPosition,
  range: fc.record({ start: anyDay, end: anyDay }),
  type: fc.constantFrom(null, ...eventTypes),
})

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

test('every position and filter comes back from its cursor, which needs no escaping in a URL', () => {
  fc.assert(
    fc.property(cursorContent, each => {
      const cursor = encodeCursor(each)
      assert.match(cursor, /^[\w-]+$/)
      assert.deepEqual(decodeCursor(cursor), JSON.parse(JSON.stringify(each)))
    }),
  )
})

test('a cursor in which any one character was changed is refused', () => {
  fc.assert(
    fc.property(cursorContent, fc.nat(), fc.constantFrom(...alphabet), (each, at, character) => {
      const cursor = encodeCursor(each)
      const index = at % cursor.length
      fc.pre(cursor[index] !== character)
      assert.equal(decodeCursor(cursor.slice(0, index) + character + cursor.slice(index + 1)), null)
    }),
  )
})

test('a cursor that was cut, lengthened, turned around or had two characters swapped is refused', () => {
  fc.assert(
    fc.property(cursorContent, fc.nat({ max: 22 }), (each, at) => {
      const cursor = encodeCursor(each)
      const swapped = cursor.slice(0, at) + cursor[at + 1] + cursor[at] + cursor.slice(at + 2)
      const turned = [...cursor].reverse().join('')
      for (const text of [
        cursor.slice(0, at),
        `${cursor}A`,
        `${cursor}=`,
        ` ${cursor}`,
        `${cursor}\n`,
        swapped,
        turned,
      ])
        if (text !== cursor) assert.equal(decodeCursor(text), null, text)
    }),
  )
})

test('texts made elsewhere are not cursors', () => {
  fc.assert(fc.property(fc.string(), text => assert.equal(decodeCursor(text), null)))
  const right = fc.array(fc.constantFrom(...alphabet), { minLength: 24, maxLength: 24 })
  fc.assert(fc.property(right, characters => assert.equal(decodeCursor(characters.join('')), null)))
  for (const text of ['', 'null', '0', 'A'.repeat(24), encodePosition({ createdAt: 1, id: 1 })])
    assert.equal(decodeCursor(text), null)
})

test('the position of an event comes back from its text, and no cursor is taken for one', () => {
  fc.assert(
    fc.property(anyPosition, cursorContent, (position, cursor) => {
      assert.deepEqual(decodePosition(encodePosition(position)), JSON.parse(JSON.stringify(position)))
      assert.equal(decodePosition(encodeCursor(cursor)), null)
    }),
  )
})
