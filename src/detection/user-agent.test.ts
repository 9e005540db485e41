/** The verdict on a user agent alone: bots, forgeries, other robots, browsers. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../tests/support/any-text.ts'
import { catalogue } from './catalogue/catalogue.ts'
import { createDetector } from './create-detector.ts'

const { classifyUserAgent } = createDetector({ excludedBots: new Set() })

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
const browsers = [
  chrome,
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15',
  'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 13; SM-A536B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0.0.0 Mobile Safari/537.36 BytedanceWebview/d8a21c6',
]
const otherRobots = [
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'curl/8.5.0',
  'python-requests/2.32.0',
  'Mozilla/5.0 (compatible; Exabot/3.0; +http://www.exabot.com/go/robot)',
]

describe('a user agent', () => {
  test('of a bot gives name, company, purpose and rule', () => {
    assert.deepEqual(classifyUserAgent('Mozilla/5.0 (compatible; meta-webindexer/1.1)'), {
      kind: 'bot',
      name: 'Meta-WebIndexer',
      company: 'Meta',
      purpose: 'search',
      rule: 'token:meta-webindexer',
    })
  })

  test('of a bot that looks like a browser is still a bot', () => {
    const verdict = classifyUserAgent(
      `${chrome}; compatible; OAI-SearchBot/1.4; +https://openai.com/searchbot`,
    )
    assert.equal(verdict.kind, 'bot')
  })

  for (const userAgent of browsers) {
    test(`is a browser: ${userAgent}`, () =>
      assert.deepEqual(classifyUserAgent(userAgent), { kind: 'browser' }))
  }

  for (const userAgent of otherRobots) {
    test(`is another robot: ${userAgent}`, () =>
      assert.deepEqual(classifyUserAgent(userAgent), {
        kind: 'ignored',
        reason: 'other-robot',
        rule: 'isbot',
      }))
  }

  test('is missing when it is empty or blank', () => {
    for (const userAgent of ['', ' ', '\t\n']) {
      assert.deepEqual(classifyUserAgent(userAgent), { kind: 'ignored', reason: 'no-user-agent', rule: null })
    }
  })

  for (const bot of catalogue.bots.filter(bot => bot.match === 'robots-only')) {
    test(`with ${bot.token}, a name for robots.txt only, is forged, whatever stands beside it`, () => {
      const forged = { kind: 'ignored', reason: 'forged-bot', rule: `token:${bot.token}` }
      for (const userAgent of [
        `${bot.token}`,
        `${bot.token}/1.0`.toLowerCase(),
        `${chrome} ${bot.token}/1.0`,
        `Mozilla/5.0 (compatible; GPTBot/1.2; ${bot.token})`,
        `cohere-training-data-crawler ${bot.token}`,
      ]) {
        assert.deepEqual(classifyUserAgent(userAgent), forged, userAgent)
      }
    })
  }

  test('never reveals a bot that only its signature tells from a browser', () => {
    for (const bot of catalogue.bots.filter(bot => bot.match === 'signature-only')) {
      const verdict = classifyUserAgent(`${chrome} ${bot.name}/1.0`)
      assert.ok(verdict.kind !== 'bot' || verdict.name !== bot.name, bot.name)
    }
  })
})

describe('any user agent', () => {
  const tokens = catalogue.bots.flatMap(bot => [bot.token ?? [], bot.notToken ?? []].flat())
  const parts = fc.oneof(
    fc.constantFrom(...tokens, chrome, '/1.0', '; ', ' ', '(+https://x.example)'),
    anyText(5),
  )
  const userAgents = fc.array(parts, { maxLength: 6 }).map(list => list.join(''))

  test('gets a verdict, and the same one when it is asked again', () => {
    const fresh = createDetector({ excludedBots: new Set() })
    fc.assert(
      fc.property(userAgents, userAgent => {
        assert.deepEqual(classifyUserAgent(userAgent), classifyUserAgent(userAgent))
        assert.deepEqual(classifyUserAgent(userAgent), fresh.classifyUserAgent(userAgent))
      }),
    )
  })

  test('gets the same name whatever the letter case of its ASCII letters', () => {
    const nameIn = (userAgent: string) => {
      const verdict = classifyUserAgent(userAgent)
      return verdict.kind === 'browser' ? null : verdict.rule === 'isbot' ? null : verdict
    }
    const upper = (text: string) => text.replace(/[a-z]/g, letter => letter.toUpperCase())
    const lower = (text: string) => text.replace(/[A-Z]/g, letter => letter.toLowerCase())
    fc.assert(
      fc.property(userAgents, userAgent => {
        assert.deepEqual(nameIn(upper(userAgent)), nameIn(userAgent))
        assert.deepEqual(nameIn(lower(userAgent)), nameIn(userAgent))
      }),
    )
  })

  test('is classified in time that grows with its length alone', () => {
    for (const part of ['a', '; a', 'a.1 ', '/1.1', '@a', '(', '--/', ' ', 'x1/1.0', 'Mozilla/5.0 (']) {
      for (const end of ['', '!', ' é']) {
        const started = performance.now()
        classifyUserAgent(`Mozilla/5.0 (${part.repeat(131_072 / part.length)}${end}`)
        // Measured: under 15 ms.
        assert.ok(performance.now() - started < 2000, part)
      }
    }
  })
})
