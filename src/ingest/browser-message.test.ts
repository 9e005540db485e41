/** What the messages of the snippet become. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createDetector } from '../detection/create-detector.ts'
import { type BrowserMessage, browserEvent } from './browser-message.ts'

const parts = { detector: createDetector({ excludedBots: new Set() }), countryOf: () => 'DE' }
const site = { id: 'site_1', number: 1, accountId: 'usr_1', domain: 'example.com', key: 'ak_1', createdAt: 0 }
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const context = { userAgent: firefox, address: '192.0.2.7', now: 1_000_000 }

const common = { site: 'ak_1', id: '0123456789', url: 'https://www.example.com/page?utm_source=chatgpt.com' }
const landing: BrowserMessage = { ...common, kind: 'landing', referrer: '' }
const conversion = (touches: { referrer: string; url: string }[]): BrowserMessage => ({
  ...common,
  kind: 'conversion',
  name: 'signup',
  value: 5,
  touches,
})

describe('a message of the snippet', () => {
  test('about a landing from an assistant is a click of a client', () => {
    const event = browserEvent(parts, site, landing, context)
    assert.deepEqual(
      [event?.type, event?.name, event?.path, event?.country, event?.client],
      ['referral', 'ChatGPT', '/page', 'DE', '192.0.2.7'],
    )
    assert.deepEqual([event?.provenance.source, event?.provenance.assistant], ['snippet', null])
  })

  test('about a landing from elsewhere, or of a bot, is nothing', () => {
    assert.equal(browserEvent(parts, site, { ...landing, url: 'https://example.com/' }, context), null)
    assert.equal(browserEvent(parts, site, landing, { ...context, userAgent: 'GPTBot/1.2' }), null)
  })

  test('about a conversion names the last assistant of the session, and no client', () => {
    const event = browserEvent(
      parts,
      site,
      conversion([
        { referrer: 'https://chatgpt.com/', url: 'https://example.com/first' },
        { referrer: 'https://claude.ai/', url: 'https://example.com/second?x' },
        { referrer: 'https://news.example/', url: 'https://example.com/third' },
        { referrer: 'https://chatgpt.com/', url: 'https://other.example/' },
      ]),
      context,
    )
    assert.deepEqual([event?.type, event?.name, event?.value], ['conversion', 'signup', 5])
    assert.deepEqual([event?.provenance.assistant, event?.provenance.landing], ['Claude', '/second'])
    assert.equal(event?.provenance.referrerHost, 'claude.ai')
    assert.equal('client' in event!, false)
  })

  test('about a conversion without an assistant is one all the same', () => {
    const event = browserEvent(parts, site, conversion([]), context)
    const { assistant, landing: page, rule, userAgent } = event!.provenance
    assert.deepEqual([assistant, page, rule, userAgent], [null, null, null, firefox])
  })

  test('about a page of another domain is refused', () => {
    const message = { ...landing, url: 'https://example.com.evil.example/' }
    assert.throws(() => browserEvent(parts, site, message, context), { code: 'INVALID_EVENT' })
  })
})
