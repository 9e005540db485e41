/** The one way from a request to an event: what is kept of it, where it came from, and what it counts as in the load. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createDetector } from '../detection/create-detector.ts'
import type { NewEvent, Source } from '../domain/event.ts'
import { openPipeline } from './pipeline.ts'
import type { RequestRecord } from './request-record.ts'

const gptBot = 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)'
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const timeMs = Date.UTC(2026, 9, 10)

const detector = createDetector({ excludedBots: new Set(['Applebot', 'CCBot']) })
const countryOf = (address: string): string => (address.endsWith('192.0.2.7') ? 'DE' : 'ZZ')

const request = (chosen: Partial<RequestRecord>): RequestRecord => ({
  method: 'GET',
  url: '/a?b=c',
  status: 200,
  userAgent: gptBot,
  referrer: '',
  address: '',
  country: '',
  timeMs,
  bytes: null,
  durationMs: null,
  ...chosen,
})

const ingest = (chosen: Partial<RequestRecord>, source: Source = 'import') =>
  openPipeline({ detector, countryOf }, 'example.com', source)(request(chosen))

function eventOf(chosen: Partial<RequestRecord>, source?: Source): NewEvent {
  const ingested = ingest(chosen, source)
  assert.ok('event' in ingested)
  return ingested.event
}

describe('an event', () => {
  test('of a bot keeps what its source told', () => {
    const event = eventOf({ address: '::ffff:192.0.2.7', status: 404, bytes: 12, durationMs: 34 })
    assert.deepEqual(event, {
      type: 'bot',
      name: 'GPTBot',
      company: 'OpenAI',
      path: '/a',
      country: 'DE',
      createdAt: timeMs,
      value: null,
      status: 404,
      bytes: 12,
      durationMs: 34,
      provenance: {
        source: 'import',
        userAgent: gptBot,
        referrerHost: null,
        rule: 'token:GPTBot',
        catalogueVersion: detector.catalogueVersion,
        assistant: null,
        landing: null,
      },
      client: '192.0.2.7',
    })
  })

  test('of a click keeps the host that it came from and no more of the address', () => {
    const event = eventOf({ userAgent: firefox, referrer: 'https://chatgpt.com/c/secret' }, 'vercel')
    assert.deepEqual([event.type, event.name, event.company], ['referral', 'ChatGPT', ''])
    assert.equal(event.provenance.referrerHost, 'chatgpt.com')
    assert.equal(event.provenance.source, 'vercel')
    assert.equal('client' in event, false)
    assert.ok(!JSON.stringify(event).includes('secret'))
  })

  test('keeps a bounded, well-formed part of a long user agent', () => {
    const { userAgent } = eventOf({ userAgent: `GPTBot \ud800${'x'.repeat(5000)}` }).provenance
    assert.equal(userAgent?.length, 1000)
    assert.ok(userAgent.isWellFormed())
  })

  test('shares the provenance of an equal request', () => {
    const pipeline = openPipeline({ detector, countryOf }, 'example.com', 'hits')
    const [one, other] = [pipeline(request({})), pipeline(request({ url: '/other' }))]
    assert.ok('event' in one && 'event' in other)
    assert.equal(one.event.provenance, other.event.provenance)
  })
})

describe('the country', () => {
  const cases: [Source, string, string, string][] = [
    ['hits', 'fr', '192.0.2.7', 'FR'],
    ['hits', '', '192.0.2.7', 'DE'],
    ['hits', 'T1', '192.0.2.7', 'ZZ'],
    ['hits', 'Germany', '', 'ZZ'],
    ['cloudflare', 'fr', '192.0.2.7', 'DE'],
    ['cloudflare', 'fr', '198.51.100.1', 'FR'],
    ['cloudflare', 'XX', '', 'ZZ'],
    ['import', '', '', 'ZZ'],
  ]
  for (const [source, country, address, expected] of cases) {
    test(`of ${source} with "${country}" and "${address}" is ${expected}`, () =>
      assert.equal(eventOf({ country, address }, source).country, expected))
  }
})

describe('in the load of a site', () => {
  const cases: [string, Partial<RequestRecord>, string, string | null][] = [
    ['an AI bot', {}, 'ai-bot', null],
    ['a click', { userAgent: firefox, referrer: 'https://chatgpt.com/' }, 'assistant-click', null],
    ['an asset', { url: '/a.css' }, 'asset', 'static-asset'],
    ['a redirect', { status: 301 }, 'redirect', 'redirect'],
    ['a form', { method: 'POST' }, 'other', 'method'],
    ['Googlebot', { userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1)' }, 'search-bot', 'other-robot'],
    ['an excluded search bot', { userAgent: 'Applebot/0.1' }, 'search-bot', 'not-counted-bot'],
    ['another excluded bot', { userAgent: 'CCBot/2.0' }, 'other-robot', 'not-counted-bot'],
    ['curl', { userAgent: 'curl/8.5.0' }, 'other-robot', 'other-robot'],
    ['a forged name', { userAgent: 'Googlebot Applebot-Extended/1.0' }, 'other-robot', 'forged-bot'],
    ['nobody', { userAgent: '' }, 'other-robot', 'no-user-agent'],
    ['a person', { userAgent: firefox }, 'person', 'no-assistant'],
    ['who stays', { userAgent: firefox, referrer: 'https://example.com/' }, 'person', 'own-referrer'],
  ]
  for (const [who, chosen, load, ignored] of cases) {
    test(`${who} is ${load}`, () => {
      const ingested = ingest(chosen)
      assert.equal(ingested.load, load)
      assert.equal('ignored' in ingested ? ingested.ignored : null, ignored)
    })
  }
})
