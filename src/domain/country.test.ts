/** Only the codes of the standard are countries. */
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
  // Each country has a name. Reserved codes are not countries.
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
  assert.deepEqual(
    known.filter(code => names.of(code) === undefined),
    [],
  )
})

test('any other text is the unknown country', () => {
  for (const text of ['', 'T1', 'XX', 'EU', 'UK', 'AP', 'ZZ', 'DEU', 'Germany', 'ß', '\u0130']) {
    assert.equal(countryCode(text), 'ZZ', text)
  }
})
