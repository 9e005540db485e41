/** Entries come out whole and in their order, wherever the chunks are cut. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Splitter, splitArray, splitEntries, splitLines, type Take } from './split-entries.ts'

type Open = (lengthMax: number, take: Take) => Splitter

/** Entries as text; null for those too long. `cuts` are lengths of chunks, used over and over. */
function entriesOf(open: Open, text: string, cuts: readonly number[] = [7], lengthMax = 1_000_000) {
  const found: (string | null)[] = []
  const splitter = open(lengthMax, entry => found.push(entry === null ? null : entry.toString().trim()))
  const bytes = Buffer.from(text)
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const length = cuts[n % cuts.length]!
    splitter.push(bytes.subarray(at, at + length))
    at += length
  }
  splitter.end()
  return found
}

const cuts = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 })

describe('a JSON array', () => {
  test('gives its elements, whatever they are and however it is spaced and cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue()),
        fc.constantFrom(undefined, 1, '\t'),
        cuts,
        (values, space, lengths) => {
          const texts = entriesOf(splitArray, ` ${JSON.stringify(values, null, space)}\n`, lengths)
          assert.deepEqual(
            texts.map(text => JSON.stringify(JSON.parse(text!))),
            values.map(value => JSON.stringify(value)),
          )
        },
      ),
    )
  })

  test('is found within an object, and other texts of the object are passed over', () => {
    const body = '{"requestId":"[1,2]\\"[","records":[{"data":"a]"},{"data":""}],"timestamp":1}'
    assert.deepEqual(entriesOf(splitArray, body), ['{"data":"a]"}', '{"data":""}'])
  })

  test('that breaks off gives what is left as one entry; commas too many give none', () => {
    assert.deepEqual(entriesOf(splitArray, '[{"a":1},{"b":'), ['{"a":1}', '{"b":'])
    assert.deepEqual(entriesOf(splitArray, '[{"a":1},,]'), ['{"a":1}'])
    assert.deepEqual(entriesOf(splitArray, '[]'), [])
    assert.deepEqual(entriesOf(splitArray, '[1][2]'), ['1', '2'])
  })
})

describe('lines', () => {
  test('end at any end of line, and blank ones are none', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[^\n\r]{0,80}$/)), cuts, (lines, lengths) => {
        const wanted = lines.filter(line => /[^ \t]/.test(line))
        assert.deepEqual(
          entriesOf(splitLines, lines.join('\r\n'), lengths),
          wanted.map(line => line.trim()),
        )
      }),
    )
  })
})

test('an entry that is too long is told of and not kept, and those around it are whole', () => {
  const long = 'x'.repeat(200)
  assert.deepEqual(entriesOf(splitLines, `a\n${long}\nb\n`, [7], 100), ['a', null, 'b'])
  assert.deepEqual(entriesOf(splitArray, `["a","${long}","b"]`, [7], 100), ['"a"', null, '"b"'])
})

test('the first sign tells an array from lines', () => {
  assert.deepEqual(entriesOf(splitEntries, ' \n [{"a":1}, {"b":2}]'), ['{"a":1}', '{"b":2}'])
  assert.deepEqual(entriesOf(splitEntries, '{"a":[1]}\n{"b":2}'), ['{"a":[1]}', '{"b":2}'])
  assert.deepEqual(entriesOf(splitEntries, ' \n'), [])
})
