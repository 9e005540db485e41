/** Compares what leaves the host with the detector: it keeps everything that decides, and leaves out everything private. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { catalogue } from '../../src/detection/catalogue/catalogue.ts'
import { createDetector } from '../../src/detection/create-detector.ts'
import { clientAddress } from '../../trackers/src/client-address.js'
import { canCount, cannotCount, plainAddress, writeHits } from '../../trackers/src/hit.js'

const detector = createDetector({ excludedBots: new Set() })

function written(
  url: string,
  referrer: string | undefined = undefined,
  country: string | undefined = undefined,
) {
  const hit = {
    method: 'GET',
    url,
    status: 200,
    user_agent: '',
    referrer,
    ip: undefined,
    country,
    timestamp: 0,
  }
  return JSON.parse(writeHits([hit]))[0] as { url: string; referrer?: string; country?: string }
}

const browser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
const verdict = (url: string, referrer = '') =>
  detector.classify({
    method: 'GET',
    url,
    status: 200,
    userAgent: browser,
    referrer,
    siteDomain: 'example.com',
  })

const marks = catalogue.sources.flatMap(source => [
  ...source.utmSources.map(value => `utm_source=${value}`),
  ...Object.entries(source.queryParams ?? {}).map(([name, value]) => `${name}=${value}`),
])
const referrers = catalogue.sources.flatMap(source => [
  ...source.hosts.map(host => `https://${host}/`),
  ...(source.conditions ?? []).map(({ host, pathPrefix = '/', query = {} }) => {
    const text = new URLSearchParams(query).toString()
    return `https://www.${host}${pathPrefix}${text && `?${text}`}`
  }),
])

describe('a hit that leaves the host', () => {
  test('is classified as the whole request would be', () => {
    const parameter = fc.oneof(
      fc.constantFrom(...marks),
      fc
        .tuple(fc.stringMatching(/^[a-z_]{1,8}$/), fc.stringMatching(/^[\w.%+-]{0,12}$/))
        .map(pair => pair.join('=')),
    )
    const query = fc
      .array(parameter, { maxLength: 4 })
      .map(all => (all.length > 0 ? `?${all.join('&')}` : ''))
    const fragment = fc.constantFrom('', '#top', '#?utm_source=openai')
    const url = fc
      .tuple(fc.constantFrom('/', '/a/b', 'https://example.com/x'), query, fragment)
      .map(all => all.join(''))
    const referrer = fc.oneof(
      fc.constant(''),
      fc.tuple(fc.constantFrom(...referrers), fragment).map(all => all.join('')),
      fc.webUrl({ withQueryParameters: true }),
    )
    fc.assert(
      fc.property(url, referrer, (rawUrl, rawReferrer) => {
        const hit = written(rawUrl, rawReferrer)
        assert.deepEqual(verdict(hit.url, hit.referrer ?? ''), verdict(rawUrl, rawReferrer))
      }),
      { numRuns: 2000 },
    )
  })

  test('keeps every mark and every referrer of the catalogue', () => {
    assert.ok(marks.length > 40 && referrers.length > 60)
    for (const mark of marks) assert.equal(written(`/?a=1&${mark}&b=2`).url, `/?${mark}`)
    for (const referrer of referrers) {
      assert.equal(verdict('/', written('/', referrer).referrer).kind, 'referral', referrer)
    }
  })

  test('has no other parameter, no fragment and no name or password', () => {
    assert.equal(written('/reset?token=secret&utm_source=x&email=a@b#secret').url, '/reset?utm_source=x')
    assert.equal(written('http://user:secret@h.example/a?b=secret').url, '/a')
    assert.equal(
      written('/', 'https://example.com/reset?token=secret#secret').referrer,
      'https://example.com/reset',
    )
  })

  test('has a country only where the host gave a code of two letters', () => {
    const codes = ['DE', 'XX', 'br', 'T1', '', 'DEU', 'D', ' DE']
    assert.deepEqual(
      codes.map(code => written('/', undefined, code).country),
      ['DE', 'XX', 'br', ...Array(5).fill(undefined)],
    )
  })

  test('keeps the marks of a long URL, and is never longer than the collector takes', () => {
    const long = written(`/${'p'.repeat(9000)}?${'q'.repeat(9000)}&utm_source=openai`).url
    assert.ok(long.endsWith('?utm_source=openai'))
    assert.ok(long.length <= 2048)
    assert.ok(written(`/?utm_source=${'v'.repeat(9000)}`).url.length <= 2048)
  })
})

describe('requests that are not reported', () => {
  test('are those that the server never counts, by method and by extension', () => {
    const extension = fc.oneof(
      fc.constantFrom(
        ...'css js mjs map png JPG jpeg woff2 7z gz deb html pdf txt xml json rss csv php'.split(' '),
      ),
      fc.stringMatching(/^\w{0,6}$/),
    )
    const path = fc
      .tuple(
        fc.constantFrom('/a', '/a.b/c', '/', '/.well-known/x', '/a.css/b'),
        extension,
        fc.constantFrom('', '?v=1.css', '#x.css', '?q=a/b.js'),
      )
      .map(([start, end, rest]) => `${start}.${end}${rest}`)
    fc.assert(
      fc.property(path, url => {
        const judged = detector.classifyRequest({ method: 'GET', url, status: 200 })
        assert.equal(canCount('GET', url), judged === null, url)
        assert.equal(canCount('HEAD', `https://example.com${url}`), judged === null, url)
        assert.equal(canCount('POST', url), false)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('visits that are left out', () => {
  const plain = [
    browser,
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0',
    'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1',
  ]

  test('are those of people, from nowhere or from the same site', () => {
    for (const userAgent of plain) {
      assert.ok(cannotCount('/a', userAgent, undefined, 'example.com'), userAgent)
      assert.ok(cannotCount('/a', userAgent, 'https://example.com/b?c=d', 'example.com'), userAgent)
    }
  })

  test('are none that the server counts, whatever they carry', () => {
    const userAgents = catalogue.bots.flatMap(({ exampleUserAgents }) => exampleUserAgents)
    const tokens = catalogue.bots.flatMap(({ token }) => (token === null ? [] : [token]))
    const anyUserAgent = fc.oneof(
      fc.constantFrom(...plain),
      fc.constantFrom(...userAgents),
      fc.tuple(fc.constantFrom(...plain), fc.constantFrom(...tokens)).map(parts => parts.join(' ')),
      fc
        .tuple(fc.constantFrom(...plain), fc.constantFrom(...tokens), fc.nat(200))
        .map(([userAgent, token, at]) => `${userAgent.slice(0, at)}${token}${userAgent.slice(at)}`),
      fc.constantFrom('', 'curl/8.9'),
    )
    const anyReferrer = fc.oneof(
      fc.constantFrom(
        '',
        'https://example.com/a',
        'https://example.com',
        'https://example.com.evil.example/',
      ),
      fc.constantFrom(...referrers),
    )
    const anyUrl = fc.oneof(
      fc.constantFrom('/', '/a#b'),
      fc.constantFrom(...marks).map(mark => `/?${mark}`),
    )
    fc.assert(
      fc.property(anyUrl, anyUserAgent, anyReferrer, (url, userAgent, referrer) => {
        if (!cannotCount(url, userAgent, referrer, 'example.com')) return
        const request = { method: 'GET', url, status: 200, userAgent, referrer, siteDomain: 'example.com' }
        assert.equal(detector.classify(request).kind, 'ignored')
      }),
      { numRuns: 5000 },
    )
  })

  test('have no query, no other referrer and no word that a browser does not say', () => {
    assert.ok(!cannotCount('/?id=7', browser, undefined, 'example.com'))
    for (const referrer of [
      'https://chatgpt.com/',
      'https://example.com.evil.example/',
      'https://example.org/',
      'android-app://com.openai.chatgpt/',
      'no address',
    ]) {
      assert.ok(!cannotCount('/', browser, referrer, 'example.com'), referrer)
      assert.ok(!cannotCount('/', browser, referrer, undefined), referrer)
    }
    for (const userAgent of [
      '',
      'Mozilla/5.0',
      `${browser} New/1.0`,
      browser.replace('x86_64', 'x86_64; New'),
    ])
      assert.ok(!cannotCount('/', userAgent, undefined, 'example.com'), userAgent)
  })
})

describe("the client's address", () => {
  const headers: Record<string, string> = {
    'x-forwarded-for': '203.0.113.1, 198.51.100.2,192.0.2.3',
    'cf-connecting-ip': '2001:db8::7',
  }
  const find = (trustProxy: false | number | string, given = headers) =>
    clientAddress(trustProxy, '10.0.0.1', name => given[name])

  test('is the peer of the connection unless a proxy is named', () => {
    assert.equal(find(false), '10.0.0.1')
    assert.equal(find(0), '10.0.0.1')
  })

  test('is found behind as many proxies as there are, counted from the right', () => {
    assert.deepEqual(
      [1, 2, 3, 9].map(hops => find(hops)?.trim()),
      ['192.0.2.3', '198.51.100.2', '203.0.113.1', '203.0.113.1'],
    )
    assert.equal(find(1, {}), '10.0.0.1')
  })

  test("is in the proxy's own header where one is named", () => {
    assert.equal(find('cf-connecting-ip'), '2001:db8::7')
    assert.equal(find('x-real-ip'), '10.0.0.1')
  })

  test('leaves the host without port, brackets, zone and disguise, or not at all', () => {
    const cases = {
      '203.0.113.9': '203.0.113.9',
      ' 203.0.113.9:4711 ': '203.0.113.9',
      '::ffff:203.0.113.9': '203.0.113.9',
      '2001:db8::1': '2001:db8::1',
      '[2001:db8::1]:443': '2001:db8::1',
      'fe80::1%eth0': 'fe80::1',
      unknown: undefined,
      '': undefined,
      '<script>': undefined,
      [':'.repeat(50)]: undefined,
    }
    for (const [text, address] of Object.entries(cases)) assert.equal(plainAddress(text), address, text)
  })
})
