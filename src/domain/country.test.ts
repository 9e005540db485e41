/** Which texts are countries. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countryCode } from './country.ts'

test('countries are known in any letter case', () => {
  for (const [text, code] of [
    ['DE', 'DE'],
    ['us', 'US'],
    ['Gb', 'GB'],
    ['tw', 'TW'],
  ] as const) {
    assert.equal(countryCode(text), code)
  }
})

test('all 249 countries of the standard are known, and no other pair of letters', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const pairs = letters.flatMap(first => letters.map(second => first + second))
  const known = pairs.filter(pair => countryCode(pair) === pair && pair !== 'ZZ')
  assert.equal(known.length, 249)
  // Each has a name; what has only been reserved is no country.
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
  assert.deepEqual(
    known.filter(code => names.of(code) === undefined),
    [],
  )
})

test('what is no country is unknown', () => {
  for (const text of ['', 'T1', 'XX', 'EU', 'UK', 'AP', 'ZZ', 'DEU', 'Germany', 'ß', '\u0130']) {
    assert.equal(countryCode(text), 'ZZ', text)
  }
})
