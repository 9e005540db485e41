/** Countries of real addresses, and of what only looks like one. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { openCountries } from './country.ts'

describe('country of an address', () => {
  const countryOf = openCountries()

  test('IPv4 and IPv6 addresses of well-known networks have their countries', () => {
    assert.equal(countryOf('8.8.8.8'), 'US')
    assert.equal(countryOf('2001:4860:4860::8888'), 'US')
    assert.equal(countryOf('83.149.9.216'), 'RU')
    assert.equal(countryOf('193.0.6.139'), 'NL')
  })

  test('an IPv4 address in IPv6 clothes is the IPv4 address', () => {
    assert.equal(countryOf('::ffff:83.149.9.216'), 'RU')
    assert.equal(countryOf('::FFFF:5395:09d8'), 'RU')
  })

  test('private, reserved and malformed addresses are ZZ', () => {
    const addresses = [
      '10.0.0.1',
      '192.168.1.1',
      '127.0.0.1',
      '::1',
      'fe80::1%eth0',
      'fd00::1',
      '::ffff:10.0.0.1',
      '0.0.0.0',
      '',
      '-',
      'unknown',
      '1.2.3',
      '8.8.8.8:443',
      '8.8.8.256',
      '[::1]',
      'localhost',
      '8.8.8.8, 1.1.1.1',
    ]
    for (const address of addresses) assert.equal(countryOf(address), 'ZZ', address)
  })

  test('no text makes a look-up fail, and every answer is a country code', () => {
    const anything = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.string({ unit: 'binary' }))
    fc.assert(fc.property(anything, text => /^[A-Z]{2}$/.test(countryOf(text))))
  })

  test('an answer is the same when it is remembered', () => {
    assert.equal(countryOf('8.8.8.8'), countryOf('8.8.8.8'))
  })
})
