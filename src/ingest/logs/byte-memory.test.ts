/** What is found by bytes is what would be made of them, however many were seen. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ByteMemory, viewOf } from './byte-memory.ts'

const textOf = (bytes: Buffer, from: number, to: number): string => bytes.toString('latin1', from, to)

describe('a memory of values by their bytes', () => {
  test('gives what would be made, wherever the bytes stand', () => {
    const memory = new ByteMemory(textOf)
    // Few letters, so that texts often differ in one byte only.
    const text = fc
      .array(fc.constantFrom('a', 'b', '\u00ff', '\0'), { maxLength: 40 })
      .map(letters => letters.join(''))
    fc.assert(
      fc.property(text, fc.nat(9), fc.nat(9), (wanted, before, behind) => {
        const bytes = Buffer.from('x'.repeat(before) + wanted + 'y'.repeat(behind), 'latin1')
        return memory.of(bytes, viewOf(bytes), before, before + wanted.length) === wanted
      }),
      { numRuns: 2000 },
    )
  })

  test('makes a value once, and again when too many others came between', () => {
    let made = 0
    const memory = new ByteMemory((bytes, from, to) => {
      made++
      return textOf(bytes, from, to)
    })
    const ask = (text: string): void => {
      const bytes = Buffer.from(text)
      assert.equal(memory.of(bytes, viewOf(bytes), 0, bytes.length), text)
    }
    for (let n = 0; n < 3; n++) ask('Mozilla/5.0')
    assert.equal(made, 1)
    for (let n = 0; n < 9000; n++) ask(`agent ${n}`)
    ask('Mozilla/5.0')
    assert.equal(made, 9002)
  })

  test('keeps no text of more than a kibibyte, and starts anew before its bytes run out', () => {
    let made = 0
    const memory = new ByteMemory((_bytes, _from, to) => {
      made++
      return to
    })
    const long = Buffer.alloc(1025, 'x')
    for (let n = 0; n < 2; n++) assert.equal(memory.of(long, viewOf(long), 0, 1025), 1025)
    assert.equal(made, 2)
    for (let n = 0; n < 3000; n++) {
      const bytes = Buffer.from(String(n).padEnd(1000))
      assert.equal(memory.of(bytes, viewOf(bytes), 0, 1000), 1000)
    }
  })
})
