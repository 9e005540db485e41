/** The fast classifier must decide exactly like a plain reference with one regular expression for each entry and isbot. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { isbot } from 'isbot'
import { anyText } from '../../tests/support/any-text.ts'
import { catalogue } from './catalogue/catalogue.ts'
import { searchBots } from './catalogue/search-bots.ts'
import { commonBrowserShape, isCommonBrowser } from './common-browsers.ts'
import { createDetector } from './create-detector.ts'
import type { UserAgentVerdict } from './detector.ts'

const excluded = new Set(['Applebot', 'CCBot'])
const { classifyUserAgent, isSearchBot } = createDetector({ excludedBots: excluded })

/** As the catalogue's description puts it: no letter or digit directly before the token, nor behind it if it ends in one. */
function expressionOf(token: string): RegExp {
  const end = /[A-Za-z0-9]$/.test(token) ? String.raw`(?![\p{L}\p{N}])` : ''
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${RegExp.escape(token.toLowerCase())}${end}`, 'u')
}

const entries = catalogue.bots
  .filter(bot => bot.token !== null)
  .map(bot => ({
    bot,
    holds: expressionOf(bot.token!),
    gaveWay: (bot.notToken ?? []).map(expressionOf),
  }))
  .sort((a, b) => b.bot.token!.length - a.bot.token!.length)

function reference(userAgent: string): UserAgentVerdict {
  if (userAgent.trim() === '') return { kind: 'ignored', reason: 'no-user-agent', rule: null }
  const text = userAgent.toLowerCase()
  const found = entries
    .filter(({ holds, gaveWay }) => holds.test(text) && !gaveWay.some(other => other.test(text)))
    .map(({ bot }) => bot)
  const bot = found.find(({ match }) => match === 'robots-only') ?? found[0]
  if (!bot)
    return isbot(userAgent) ? { kind: 'ignored', reason: 'other-robot', rule: 'isbot' } : { kind: 'browser' }
  const { name, company, purpose, token, match } = bot
  const rule = `token:${token}`
  if (match === 'robots-only') return { kind: 'ignored', reason: 'forged-bot', rule }
  if (excluded.has(name)) return { kind: 'ignored', reason: 'not-counted-bot', rule }
  return { kind: 'bot', name, company, purpose, rule }
}

const searchExpressions = searchBots.map(({ token }) => expressionOf(token))

function assertSame(userAgent: string): void {
  assert.deepEqual(classifyUserAgent(userAgent), reference(userAgent), userAgent)
  const isSearching = searchExpressions.some(expression => expression.test(userAgent.toLowerCase()))
  assert.equal(isSearchBot(userAgent), isSearching, userAgent)
}

const samples = catalogue.bots.flatMap(bot => [...bot.exampleUserAgents, bot.token ?? []].flat())

function userAgentsOf(log: string): string[] {
  const file = new URL(`../../tests/data/access-logs/${log}`, import.meta.url)
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n')
  return [...new Set(lines.map(line => line.slice(line.lastIndexOf('"', line.length - 2) + 1, -1)))]
}
const logged = ['ai-2026.log.gz', 'semicomplete-2015.log.gz'].flatMap(userAgentsOf)

describe('the verdict on a user agent is that of a plain reference', () => {
  test('for every sample of the catalogue, in any letter case', () => {
    for (const sample of samples) {
      for (const text of [sample, sample.toLowerCase(), sample.toUpperCase()]) assertSame(text)
    }
  })

  test('for every user agent of the real logs, whole and cut anywhere', () => {
    assert.ok(logged.length > 1000)
    for (const userAgent of logged) {
      assertSame(userAgent)
      for (let cut = 1; cut < userAgent.length; cut += 17) {
        assertSame(userAgent.slice(0, cut))
        assertSame(userAgent.slice(cut))
      }
    }
  })

  test('for mixtures of all of these', () => {
    const part = fc.oneof(
      fc.constantFrom(...samples, ...logged),
      fc.constantFrom(...catalogue.bots.flatMap(bot => [bot.token ?? [], bot.notToken ?? []].flat())),
      fc.constantFrom(...searchBots.map(({ token }) => token)),
      fc.constantFrom('/1.0', '; ', ' ', '-', '.', '_', '(', 'é', '字', '𝒳', '😀', 'İ', '\u212a', '\ud800'),
      anyText(5),
    )
    const mixture = fc.array(part, { maxLength: 5 }).map(parts => parts.join(''))
    fc.assert(fc.property(mixture, assertSame), { numRuns: 5000 })
  })

  test('for texts in the shape of a common browser, and for near misses', () => {
    const shaped = fc.stringMatching(commonBrowserShape)
    fc.assert(
      fc.property(shaped, userAgent => {
        assert.ok(isCommonBrowser(userAgent), userAgent)
        assertSame(userAgent)
      }),
      { numRuns: 3000 },
    )
    const insert = fc.oneof(fc.constantFrom(' bot', 'scan', '; x;', ' GPTBot/1.0', '\n', ' '), anyText(3))
    fc.assert(
      fc.property(shaped, fc.nat(150), insert, (userAgent, at, text) => {
        assertSame(userAgent.slice(0, at) + text + userAgent.slice(at))
      }),
      { numRuns: 3000 },
    )
  })

  test('for words in every variable place of a common browser', () => {
    const words = ['bot', 'xbot', 'scan', 'feed', 'Googlebot', 'spider', 'url', 'x1/1.0;', 'GPTBot']
    for (const userAgent of logged.filter(isCommonBrowser)) {
      for (const { index } of userAgent.matchAll(/[\d.]+|(?<=\/)\w+/g)) {
        for (const word of words) assertSame(userAgent.slice(0, index) + word + userAgent.slice(index))
      }
      for (const word of words) assertSame(userAgent.replace(/(?<=\/)\w+/g, word))
    }
  })

  test('most browsers of a log are recognised quickly', () => {
    const browsers = logged.filter(userAgent => reference(userAgent).kind === 'browser')
    const quickly = browsers.filter(isCommonBrowser)
    assert.ok(quickly.length > browsers.length / 4, `${quickly.length} of ${browsers.length}`)
  })
})
