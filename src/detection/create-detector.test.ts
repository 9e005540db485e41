/** The whole detector: what counts, the order of the steps, excluded bots, and explanations. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../tests/support/any-text.ts'
import { catalogue } from './catalogue/catalogue.ts'
import { createDetector, unknownBotNames } from './create-detector.ts'
import { ignoreReasons, type Verdict, type Visit } from './detector.ts'

const detector = createDetector({ excludedBots: new Set() })

const gptBot =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.4; +https://openai.com/gptbot'
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'

/** A click in ChatGPT that reaches a page, with what a test changes in it. */
const visit = (changes: Partial<Visit> = {}): Visit => ({
  method: 'GET',
  url: '/pricing?plan=pro',
  status: 200,
  userAgent: chrome,
  referrer: 'https://chatgpt.com/',
  siteDomain: 'example.com',
  ...changes,
})

const short = (verdict: Verdict): string =>
  verdict.kind === 'bot' ? verdict.name : verdict.kind === 'referral' ? verdict.source : verdict.reason

describe('what counts', () => {
  const cases: [what: string, changes: Partial<Visit>, outcome: string][] = [
    ['a click in an assistant', {}, 'ChatGPT'],
    ['a fetch by a bot', { userAgent: gptBot }, 'GPTBot'],
    ['a HEAD request', { method: 'HEAD' }, 'ChatGPT'],
    ['a method in small letters', { method: 'get' }, 'ChatGPT'],
    [
      'a bot that follows a link with utm_source',
      { userAgent: gptBot, url: '/?utm_source=openai' },
      'GPTBot',
    ],
    ['a page that is not found', { status: 404 }, 'ChatGPT'],
    ['a page that has not changed', { status: 304 }, 'ChatGPT'],
    ['an error of the server', { status: 500, userAgent: gptBot }, 'GPTBot'],
    ['a request whose status is not known', { status: null }, 'ChatGPT'],
    ['a PDF', { url: '/a.pdf' }, 'ChatGPT'],
    ['a text file', { url: '/llms.txt', userAgent: gptBot }, 'GPTBot'],
    ['a feed', { url: '/feed.xml', userAgent: gptBot }, 'GPTBot'],
    ['an absolute URL', { url: 'https://example.com/a?utm_source=openai', referrer: '' }, 'ChatGPT'],
  ]
  for (const [what, changes, outcome] of cases) {
    test(what, () => assert.equal(short(detector.classify(visit(changes))), outcome))
  }
})

describe('what is ignored, with the first reason that applies', () => {
  const post = { method: 'POST' }
  const moved = { status: 301 }
  const asset = { url: '/a.css?utm_source=openai' }
  const cases: [what: string, changes: Partial<Visit>, outcome: string][] = [
    ['another method', { ...post, ...moved, ...asset, userAgent: gptBot }, 'method'],
    ['no method', { method: '' }, 'method'],
    ['a redirect', { ...moved, ...asset, userAgent: gptBot }, 'redirect'],
    ['a static asset, also for a bot', { ...asset, userAgent: gptBot }, 'static-asset'],
    ['a forged bot', { userAgent: 'Google-Extended/1.0' }, 'forged-bot'],
    ['another robot behind an assistant', { userAgent: googlebot }, 'other-robot'],
    ['another robot at a marked URL', { userAgent: googlebot, url: '/?utm_source=openai' }, 'other-robot'],
    ['no user agent', { userAgent: '' }, 'no-user-agent'],
    ['a click within the site', { referrer: 'https://www.example.com/' }, 'own-referrer'],
    ['a click elsewhere', { referrer: 'https://example.org/' }, 'no-assistant'],
    ['a direct visit', { referrer: '' }, 'no-assistant'],
  ]
  for (const [what, changes, outcome] of cases) {
    test(`${what}: ${outcome}`, () => assert.equal(short(detector.classify(visit(changes))), outcome))
  }

  for (const status of [301, 302, 303, 307, 308]) {
    test(`status ${status}`, () => assert.equal(short(detector.classify(visit({ status }))), 'redirect'))
  }

  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE', 'PROPFIND']) {
    test(`method ${method}`, () => assert.equal(short(detector.classify(visit({ method }))), 'method'))
  }
})

describe('bots that the settings exclude', () => {
  const without = createDetector({ excludedBots: new Set(['applebot', 'Kangaroo Bot', 'GoogleOther']) })
  const classified = (userAgent: string) => short(without.classify(visit({ userAgent })))

  test('are ignored as not counted, in any letter case of the setting', () => {
    assert.deepEqual(without.classifyUserAgent('Applebot/0.1'), {
      kind: 'ignored',
      reason: 'not-counted-bot',
      rule: 'token:Applebot',
    })
    assert.equal(classified('Kangaroo Bot/1.0'), 'not-counted-bot')
  })

  test('do not change other bots, even those with a longer name', () => {
    assert.equal(classified(gptBot), 'GPTBot')
    assert.equal(classified('GoogleOther'), 'not-counted-bot')
    assert.equal(classified('GoogleOther-Image/1.0'), 'GoogleOther-Image')
    assert.equal(classified('Applebot-Extended/1.0'), 'forged-bot')
  })

  test('do not hand the visit to a shorter name beside theirs', () => {
    assert.equal(classified('GoogleOther CCBot/2.0'), 'not-counted-bot')
  })

  test('are none by default: the five debatable bots count', () => {
    for (const name of ['Applebot', 'Amazonbot', 'PetalBot', 'Bravebot', 'GoogleOther']) {
      assert.equal(short(detector.classify(visit({ userAgent: `${name}/1.0` }))), name)
    }
  })

  test('must be bots of the catalogue', () => {
    assert.deepEqual(unknownBotNames(['GPTBot', 'gptbot', 'NoBot', '']), ['NoBot', ''])
    assert.throws(() => createDetector({ excludedBots: new Set(['NoBot']) }), /NoBot/)
  })
})

describe('an explanation', () => {
  const lastStep = (changes: Partial<Visit>) => detector.explain(visit(changes)).steps.at(-1) ?? ''

  test('tells the verdict, the catalogue version, and every step', () => {
    assert.deepEqual(detector.explain(visit()), {
      verdict: detector.classify(visit()),
      catalogueVersion: catalogue.version,
      steps: [
        "'GET' with status 200 for '/pricing' is a request that counts.",
        'The user agent names no bot of the catalogue and is not known as another robot: a browser.',
        "Referral: the referrer 'https://chatgpt.com/' points to ChatGPT of OpenAI (vendor-observed). Rule host:chatgpt.com.",
      ],
    })
  })

  const cases: [what: string, changes: Partial<Visit>, sentence: RegExp][] = [
    [
      'token and entry',
      { userAgent: gptBot },
      /^Bot: .*'GPTBot'.*OpenAI.*training.*vendor-documented.*Rule token:GPTBot\.$/,
    ],
    ['a single source', { userAgent: 'GrokBot/1.0' }, /single-source/],
    [
      'the mark on the URL',
      { referrer: '', url: '/?utm_source=openai' },
      /the mark on the URL.*Rule utm_source:openai\.$/,
    ],
    ['the method', { method: 'POST' }, /^Ignored \(method\): .*'POST'/],
    ['the redirect', { status: 302 }, /^Ignored \(redirect\): .*302/],
    ['the static asset', { url: '/a.css?b' }, /^Ignored \(static-asset\): '\/a\.css'/],
    ['the forged name', { userAgent: 'x Operator/1' }, /^Ignored \(forged-bot\): .*'Operator'.*OpenAI/],
    ['what gave a robot away', { userAgent: googlebot }, /^Ignored \(other-robot\): .*'Google/],
    ['the missing user agent', { userAgent: '' }, /^Ignored \(no-user-agent\)/],
    [
      'the own referrer',
      { referrer: 'https://www.example.com/' },
      /^Ignored \(own-referrer\): .*'example\.com'/,
    ],
    [
      'the referrer that is none',
      { referrer: 'https://x.org/' },
      /^Ignored \(no-assistant\): .*'https:\/\/x\.org\/'/,
    ],
  ]
  for (const [what, changes, sentence] of cases) {
    test(`names ${what}`, () => assert.match(lastStep(changes), sentence))
  }

  test('names an excluded bot', () => {
    const { steps } = createDetector({ excludedBots: new Set(['PetalBot']) }).explain(
      visit({ userAgent: 'PetalBot' }),
    )
    assert.match(steps.at(-1)!, /^Ignored \(not-counted-bot\): .*PetalBot of Huawei/)
  })

  test('shows control characters of strangers as escapes, and long texts cut', () => {
    const { steps } = detector.explain(visit({ url: `/\u001b[2J\u009b${'x'.repeat(5000)}` }))
    assert.match(steps.join(' '), /'\/\\x1B\[2J\\x9Bx+…'/)
    assert.ok(steps.join(' ').length < 1000)
  })
})

describe('any visit', () => {
  const text = fc.oneof(
    anyText(),
    fc.constantFrom(
      '',
      'GET',
      '/',
      chrome,
      gptBot,
      'https://chatgpt.com/',
      '/?utm_source=openai',
      'example.com',
    ),
  )
  const visits = fc.record({
    method: text,
    url: text,
    status: fc.oneof(fc.constant(null), fc.integer({ min: 100, max: 599 })),
    userAgent: text,
    referrer: text,
    siteDomain: text,
  })

  test('gets one verdict, which its explanation repeats with at least one step', () => {
    fc.assert(
      fc.property(visits, any => {
        const verdict = detector.classify(any)
        assert.ok(verdict.kind !== 'ignored' || ignoreReasons.includes(verdict.reason))
        assert.deepEqual(detector.explain(any).verdict, verdict)
        assert.ok(detector.explain(any).steps.length > 0)
      }),
    )
  })
})

describe('the assistant that a sender means', () => {
  test('every name, alias, host and utm_source of the catalogue leads to its assistant', () => {
    for (const { source, aliases = [], hosts, utmSources } of catalogue.sources) {
      for (const text of [source, ...aliases, ...hosts, ...utmSources]) {
        assert.equal(detector.assistantOf(text), source, text)
        assert.equal(detector.assistantOf(text.toUpperCase()), source, text)
      }
      for (const host of hosts) assert.equal(detector.assistantOf(`https://${host}/a?b=c`), source, host)
    }
  })

  test('a text that only looks like an assistant gives none, and no text is an error', () => {
    for (const text of [
      '',
      ' ',
      'notchatgpt.com',
      'chatgpt.com.evil.example',
      'google',
      'www.google.com',
      '\ud800',
    ])
      assert.equal(detector.assistantOf(text), null, text)
    fc.assert(fc.property(anyText(50), text => void detector.assistantOf(text)))
  })
})
