/** Pairs in a query must be read as URLSearchParams reads them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../tests/support/any-text.ts'
import { findInQuery } from './query-pairs.ts'

function pairsOf(url: string): [string, string][] {
  const pairs: [string, string][] = []
  findInQuery(url, (name, value) => {
    pairs.push([name, value])
    return undefined
  })
  return pairs
}

test('pairs are those of URLSearchParams, where the query is well formed', () => {
  const text = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    .filter(value => value.isWellFormed())
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text)), fc.constantFrom('', '#a=b&c=d'), (pairs, fragment) => {
      const query = new URLSearchParams(pairs)
      assert.deepEqual(pairsOf(`/a?${query}${fragment}`), [...query])
      assert.deepEqual(pairsOf(`https://x.example/?${query}${fragment}`), [...query])
    }),
  )
})

test('a fragment has no pairs, and neither has a URL without a query', () => {
  assert.deepEqual(pairsOf('/a#?utm_source=openai'), [])
  assert.deepEqual(pairsOf('/a&utm_source=openai'), [])
  assert.deepEqual(pairsOf('/a?b#c?utm_source=openai'), [])
})

test('the first answer ends the search', () => {
  assert.equal(
    findInQuery('/?a=1&a=2', (name, value) => (name === 'a' ? value : undefined)),
    '1',
  )
})

test('broken escapes stay as they are; names without a value and endless pairs are skipped', () => {
  assert.deepEqual(pairsOf(`/?a=%zz&%E0%A4=b&alone&=c&${'x'.repeat(600)}=1&d=`), [
    ['a', '%zz'],
    ['%E0%A4', 'b'],
    ['d', ''],
  ])
})

test('never throws, and takes time that grows with the length alone', () => {
  fc.assert(fc.property(anyText(), query => void pairsOf(`?${query}`)))
  for (const part of ['&', 'a&', 'a=b&', '%', '=']) {
    const started = performance.now()
    findInQuery(`/?${part.repeat(1_000_000 / part.length)}`, () => undefined)
    // Measured: under 50 ms.
    assert.ok(performance.now() - started < 2000, part)
  }
})
