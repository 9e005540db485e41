/** A policy must block or allow the snippet as the CSP specification says for each kind of source. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blockedConnection, blockedScript, readPolicies } from './content-policy.ts'

const page = new URL('https://example.com/pricing')
const script = new URL('https://stats.example.com/pugmark.js')
const collect = new URL('collect', script)

const loads = (policy: string, { url = script, from = page, nonce = null as string | null } = {}) =>
  blockedScript(readPolicies([policy]), from, { url, nonce }) === null
const sends = (policy: string) => blockedConnection(readPolicies([policy]), page, collect) === null

test('without a policy for scripts and messages, everything is allowed', () => {
  assert.equal(blockedScript([], page, { url: script, nonce: null }), null)
  assert.ok(loads("img-src 'none'; style-src 'self'") && sends("script-src 'none'"))
})

test('sources that allow the script', () => {
  for (const source of [
    '*',
    'https:',
    'http:',
    'stats.example.com',
    'STATS.example.com',
    'https://stats.example.com',
    'http://stats.example.com',
    'https://stats.example.com:443',
    'stats.example.com:*',
    '*.example.com',
    'https://stats.example.com/',
    'https://stats.example.com/pugmark.js',
  ]) {
    assert.ok(loads(`default-src 'none'; script-src 'self' ${source}`), source)
  }
})

test('sources that do not allow the script', () => {
  for (const source of [
    "'none'",
    "'self'",
    "'unsafe-inline'",
    'data:',
    'example.com',
    'https://stats.example.com:8443',
    'https://stats.example.com/js/',
    'https://stats.example.com/pugmark',
    '*.stats.example.com',
    'wss://stats.example.com',
    "'nonce-other'",
    '',
  ]) {
    assert.ok(!loads(`script-src ${source}`), source)
  }
})

test('the most specific directive applies, the first of its name, and all policies together', () => {
  assert.ok(loads("script-src-elem https:; script-src 'none'"))
  assert.ok(!loads("default-src https:; script-src 'self'"))
  assert.ok(!loads("script-src 'self'; script-src https:"))
  assert.ok(sends("default-src 'self' https://stats.example.com"))
  assert.equal(
    blockedConnection(readPolicies(["script-src https:, connect-src 'self'"]), page, collect),
    "connect-src 'self'",
  )
})

test('a nonce allows the tag that has it, and strict-dynamic disables all addresses', () => {
  assert.ok(loads("script-src 'nonce-abc'", { nonce: 'abc' }))
  assert.ok(!loads("script-src 'nonce-abc'"))
  assert.ok(!loads("script-src 'strict-dynamic' 'nonce-abc' https:"))
  assert.ok(loads("script-src 'strict-dynamic' 'nonce-abc'", { nonce: 'abc' }))
})

test("'self' is the origin of the page, or its host by https", () => {
  assert.ok(loads("script-src 'self'", { url: new URL('/stats/pugmark.js', page) }))
  const from = new URL('http://example.com/')
  assert.ok(loads("script-src 'self'", { url: new URL('https://example.com/pugmark.js'), from }))
  assert.ok(!loads("script-src 'self'", { url: new URL('http://example.com:81/pugmark.js'), from }))
})
