/** Whatever a server, a proxy or a log writes for one client must come to the same text. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientOf } from './client-address.ts'

test('spellings of one address are one client', () => {
  const spellings = [
    ['203.0.113.9', '::ffff:203.0.113.9', '::FFFF:cb00:7109'],
    ['2001:db8::1', '2001:DB8:0:0:0:0:0:1', '2001:0db8::0001'],
    ['fe80::1', 'fe80::1%eth0'],
  ]
  for (const [first, ...others] of spellings) {
    for (const other of others) assert.equal(clientOf(other), first)
    assert.equal(clientOf(first!), first)
  }
})

test('what is no address is no client', () => {
  for (const text of [
    '',
    '-',
    'unknown',
    'proxy.example',
    '203.0.113',
    '203.0.113.9:443',
    '::ffff:999.0.0.1',
  ])
    assert.equal(clientOf(text), null, text)
})
