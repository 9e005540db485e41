/** Every assistant must be found by its hosts, marks and apps, and no look-alike must be taken for one. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../tests/support/any-text.ts'
import { catalogue } from './catalogue/catalogue.ts'
import { createReferrerClassifier } from './referrer.ts'

const classify = createReferrerClassifier(catalogue.sources)

const siteDomain = 'example.com'

function sourceOf(referrer: string, url = '/'): string {
  const verdict = classify({ referrer, url, siteDomain })
  return verdict.kind === 'referral' ? verdict.source : verdict.reason
}

function ruleOf(referrer: string, url = '/'): string | null {
  return classify({ referrer, url, siteDomain }).rule
}

describe('every assistant of the catalogue', () => {
  for (const {
    source,
    hosts,
    notHosts,
    subdomains,
    conditions,
    utmSources,
    queryParams,
    androidApps,
  } of catalogue.sources) {
    test(`${source} is known by its own samples`, () => {
      for (const host of hosts) {
        for (const referrer of [
          `https://${host}/`,
          `http://${host}`,
          `https://www.${host}/c/1?q=2#3`,
          `HTTPS://${host.toUpperCase()}:8443/`,
          `https://${host}./`,
        ]) {
          assert.equal(sourceOf(referrer), source, referrer)
          assert.equal(ruleOf(referrer), `host:${host}`)
        }
        assert.equal(sourceOf(`https://new.${host}/`) === source, subdomains === true, `new.${host}`)
      }
      for (const host of notHosts ?? []) assert.equal(sourceOf(`https://${host}/`), 'no-assistant', host)
      for (const { host, pathPrefix, query } of conditions ?? []) {
        const referrer = `https://www.${host}${pathPrefix ?? '/'}${query ? `?a=1&${new URLSearchParams(query)}` : ''}`
        assert.equal(sourceOf(referrer), source, referrer)
        assert.equal(sourceOf(`https://${host}/`), 'no-assistant', host)
      }
      for (const value of utmSources) {
        assert.equal(sourceOf('', `/a?b=c&utm_source=${value}#d`), source)
        assert.equal(
          ruleOf('', `https://example.com/?utm_source=${value.toUpperCase()}`),
          `utm_source:${value}`,
        )
      }
      for (const [name, value] of Object.entries(queryParams ?? {})) {
        assert.equal(sourceOf('', `/?${name}=${value}`), source)
        assert.equal(ruleOf('', `/?${name}=${value}`), `query:${name}=${value}`)
      }
      for (const app of androidApps) {
        for (const referrer of [app, `${app}/`, `${app}/https/example.com`])
          assert.equal(sourceOf(referrer), source)
        assert.equal(ruleOf(app), app.replace('://', ':'))
      }
    })
  }
})

describe('what only looks like an assistant', () => {
  const others = [
    'https://notchatgpt.com/',
    'https://chatgpt.com.evil.org/',
    'https://evil.org/?u=chatgpt.com',
    'https://evil.org/chatgpt.com/',
    'https://evil.org/#https://chatgpt.com/',
    'https://chatgpt.com@evil.org/',
    'https://chatgpt.comx/',
    'https://chatgpt.co/',
    'https://xn--chatgpt.com.evil.org/',
    'https://com/',
    'https://evil.n.cn/',
    'https://openai.com/',
    'https://www.openai.com/',
    'https://blog.x.ai/',
    'https://google.com/',
    'https://www.google.com/search?q=chatgpt.com',
    'https://copilot.example.org/',
    'https://sub.poe.com/',
    'android-app://com.openai.chatgpt.evil/',
    'android-app://com.evil/com.openai.chatgpt',
    'android-app://com.google.android.googlequicksearchbox/',
    'chatgpt.com',
    'ftp://chatgpt.com/',
    'https://',
    'about:client',
  ]
  for (const referrer of others) {
    test(`${referrer} is no assistant`, () => assert.equal(sourceOf(referrer), 'no-assistant'))
  }

  const urls = [
    '/?utm_source=notchatgpt.com',
    '/?utm_source=chatgpt',
    '/?utm_source=chatgpt.com.evil.org',
    '/?utm_source=chatgpt.com%20',
    '/?utm_source=',
    '/?utm_source',
    '/?utm_medium=chatgpt.com',
    '/?xutm_source=chatgpt.com',
    '/?amp;utm_source=chatgpt.com',
    '/#?utm_source=chatgpt.com',
    '/utm_source=chatgpt.com',
    '/?u=https://x.example/?utm_source=chatgpt.com',
    '/?referrer=grok',
    '/?referrer=chatgpt.com',
    '/?referrer=www.grok.com',
  ]
  for (const url of urls) {
    test(`landing on ${url} is no assistant`, () => assert.equal(sourceOf('', url), 'no-assistant'))
  }
})

describe('domains below an assistant', () => {
  test('count where the entry says so, at any depth', () => {
    assert.equal(sourceOf('https://a.b.chatgpt.com/'), 'ChatGPT')
    assert.equal(sourceOf('https://www.perplexity.ai/'), 'Perplexity')
  })

  test('do not count below a host that is listed because it is not the assistant', () => {
    assert.equal(sourceOf('https://docs.perplexity.ai/'), 'no-assistant')
    assert.equal(sourceOf('https://v2.docs.perplexity.ai/'), 'no-assistant')
  })
})

describe('hosts that an assistant shares with others', () => {
  const cases: [referrer: string, source: string][] = [
    ['https://www.google.com/search?q=a&udm=50', 'Google AI Mode'],
    ['https://www.google.de/search?udm=50', 'Google AI Mode'],
    ['https://google.co.uk/search?udm=50', 'Google AI Mode'],
    ['https://www.google.com.br/search?udm=50', 'Google AI Mode'],
    ['https://www.google.com/ai', 'Google AI Mode'],
    ['https://www.google.com/ai/x', 'Google AI Mode'],
    ['https://www.google.de/ai', 'no-assistant'],
    ['https://www.google.com/aim', 'no-assistant'],
    ['https://www.google.com/search?udm=5', 'no-assistant'],
    ['https://www.google.com/search?udm=501', 'no-assistant'],
    ['https://www.google.com/searching?udm=50', 'no-assistant'],
    ['https://www.google.com/?udm=50', 'no-assistant'],
    ['https://news.google.com/search?udm=50', 'no-assistant'],
    ['https://www.google.evil.com/search?udm=50', 'no-assistant'],
    ['https://google.org/search?udm=50', 'no-assistant'],
    ['https://www.google.com.evil.org/search?udm=50', 'no-assistant'],
    ['https://bing.de/chat', 'no-assistant'],
    ['https://www.bing.com/chat', 'Microsoft Copilot'],
    ['https://www.bing.com/chat/x?y', 'Microsoft Copilot'],
    ['https://www.bing.com/chats', 'no-assistant'],
    ['https://www.bing.com/search?showconv=1', 'Microsoft Copilot'],
    ['https://duckduckgo.com/?q=a&ia=chat', 'Duck.ai'],
    ['https://duckduckgo.com/?q=a&ia=web', 'no-assistant'],
    ['https://github.com/copilot', 'GitHub Copilot'],
    ['https://github.com/copilot-tools', 'no-assistant'],
    ['https://github.com/x/copilot', 'no-assistant'],
  ]
  for (const [referrer, source] of cases) {
    test(`${referrer} is ${source}`, () => assert.equal(sourceOf(referrer), source))
  }

  test('name host, path and query in the rule', () => {
    assert.equal(ruleOf('https://www.google.de/search?udm=50'), 'host:google.com/search?udm=50')
  })
})

describe('the order of the marks', () => {
  test('the referrer decides before the URL', () => {
    assert.equal(sourceOf('https://claude.ai/', '/?utm_source=chatgpt.com'), 'Claude')
  })

  test('a mark on the URL counts when the referrer is not an assistant or not a web page', () => {
    for (const referrer of [
      'https://news.example.org/',
      'https://www.google.com/',
      'android-app://com.slack/',
      '-',
    ]) {
      assert.equal(sourceOf(referrer, '/?utm_source=ChatGPT.com'), 'ChatGPT')
    }
  })

  test('one of several utm_source values is enough, since assistants append theirs', () => {
    assert.equal(sourceOf('', '/?utm_source=newsletter&utm_source=chatgpt.com'), 'ChatGPT')
  })

  test('escapes in the mark are read', () => {
    assert.equal(sourceOf('', '/?utm%5Fsource=chatgpt%2Ecom'), 'ChatGPT')
  })
})

describe('the site itself', () => {
  const own = [
    'https://example.com/a',
    'http://www.example.com',
    'https://Example.com:8080/',
    'https://shop.example.com./',
  ]
  for (const referrer of own) {
    test(`${referrer} is no referral, whatever marks the URL carries`, () => {
      assert.equal(sourceOf(referrer), 'own-referrer')
      assert.equal(sourceOf(referrer, '/?utm_source=chatgpt.com'), 'own-referrer')
    })
  }

  test('is neither a parent domain nor a domain with the same ending', () => {
    for (const referrer of ['https://com/', 'https://notexample.com/', 'https://example.com.evil.org/']) {
      assert.equal(sourceOf(referrer), 'no-assistant')
    }
    const below = classify({ referrer: 'https://example.com/', url: '/', siteDomain: 'shop.example.com' })
    assert.deepEqual(below, { kind: 'ignored', reason: 'no-assistant', rule: null })
  })

  test('is told apart from visit to visit', () => {
    for (const site of ['www.example.com', 'example.org', 'EXAMPLE.com.', '', 'chatgpt.com']) {
      const ask = (referrer: string) => classify({ referrer, url: '/', siteDomain: site })
      assert.equal(ask('https://example.com/').kind === 'ignored', true)
      assert.equal(
        (ask('https://example.com/') as { reason: string }).reason,
        site.toLowerCase().includes('example.com') ? 'own-referrer' : 'no-assistant',
      )
      assert.equal(ask('https://chatgpt.com/').kind, site === 'chatgpt.com' ? 'ignored' : 'referral')
    }
  })
})

describe('any referrer and URL', () => {
  test('get a verdict', () => {
    const text = fc.oneof(
      anyText(),
      fc.constantFrom(
        'https://chatgpt.com',
        'android-app://',
        'https://www.google.com/search?',
        '?utm_source=%',
      ),
    )
    const joined = fc.array(text, { maxLength: 3 }).map(list => list.join(''))
    fc.assert(
      fc.property(joined, joined, joined, (referrer, url, domain) => {
        assert.ok(['referral', 'ignored'].includes(classify({ referrer, url, siteDomain: domain }).kind))
      }),
    )
  })

  test('with a host that is not listed are never an assistant', () => {
    const listed = new Set(catalogue.sources.flatMap(source => source.hosts))
    const hosts = [...listed]
    const lookalike = fc
      .tuple(fc.constantFrom(...hosts), fc.stringMatching(/^[a-z0-9]{1,5}$/), fc.integer({ min: 0, max: 2 }))
      .map(([host, text, place]) => [`${text}${host}`, `${host}${text}`, `${host}.${text}.org`][place]!)
      .filter(host => !listed.has(host) && !listed.has(host.replace(/^www\./, '')))
    fc.assert(
      fc.property(lookalike, host =>
        assert.equal(sourceOf(`https://${host}/${hosts[0]}?${hosts[0]}`), 'no-assistant'),
      ),
    )
  })

  test('are classified in time that grows with their length alone', () => {
    for (const part of ['a', 'a.', '.', 'é', '@', '/', '%', 'a=b&', 'utm_source=']) {
      const long = part.repeat(1_000_000 / part.length)
      for (const referrer of ['https://', 'android-app://', 'https://www.google.com/search?', '']) {
        const started = performance.now()
        classify({ referrer: referrer + long, url: `/?${long}`, siteDomain })
        // Measured: under 100 ms.
        assert.ok(performance.now() - started < 2000, referrer + part)
      }
    }
  })
})
