/** Tokens in user agents: every entry by its own samples, word boundaries, and which of several names wins. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../tests/support/any-text.ts'
import { createNameFinder } from './bot-names.ts'
import { catalogue } from './catalogue/catalogue.ts'
import type { BotEntry } from './catalogue/schema.ts'

const findBots = createNameFinder(catalogue.bots)
const namesIn = (userAgent: string) => findBots(userAgent).map(bot => bot.name)

/** The real strings of an entry, and for each entry one that its token alone makes. */
function samplesOf(bot: BotEntry): string[] {
  if (bot.token === null) return bot.exampleUserAgents
  const product = bot.token.endsWith('/') ? `${bot.token}1.0` : `${bot.token}/1.0`
  return [...bot.exampleUserAgents, bot.token, `Mozilla/5.0 (compatible; ${product}; +https://bots.example/)`]
}

describe('every entry of the catalogue', () => {
  for (const bot of catalogue.bots) {
    if (bot.token === null) continue
    test(`${bot.name} is found in its own samples, and no other is`, () => {
      for (const sample of samplesOf(bot)) assert.deepEqual(namesIn(sample), [bot.name], sample)
    })
  }

  test('is found whatever the letter case of the user agent', () => {
    for (const bot of catalogue.bots) {
      for (const sample of samplesOf(bot)) {
        assert.deepEqual(namesIn(sample.toUpperCase()), [bot.name])
        assert.deepEqual(namesIn(sample.toLowerCase()), [bot.name])
      }
    }
  })
})

describe('a token holds at word boundaries', () => {
  const cases: [userAgent: string, names: string[]][] = [
    ['GPTBot', ['GPTBot']],
    ['MyGPTBotClone/1.0', []],
    ['MyGPTBot/1.0', []],
    ['GPTBots/1.0', []],
    ['GPTBot2', []],
    ['2GPTBot', []],
    ['(GPTBot)', ['GPTBot']],
    ['my-GPTBot/1.0', ['GPTBot']],
    ['_GPTBot_', ['GPTBot']],
    ['ÉGPTBot', []],
    ['GPTBotÉ', []],
    ['字GPTBot', []],
    ['𝒳GPTBot', []],
    ['GPTBot𝒳', []],
    ['…GPTBot…', ['GPTBot']],
    ['GPT Bot', []],
    ['GPTBo', []],
    ['xGPTBot GPTBot/1', ['GPTBot']],
    ['Claude/2.1', ['Claude Desktop']],
    ['Claude/v2', ['Claude Desktop']],
    ['JeanClaude/2.1', []],
    ['Jean-Claude', []],
    ['Claude', []],
    ['Devin Smith', []],
    ['Kangaroo Bot', ['Kangaroo Bot']],
    ['Kangaroo Bots', []],
    ['notpanscient.com', []],
    ['panscient.community', []],
    ['Precursor/1.0', []],
    ['xAI-Grok-DeepSearch', ['Grok-DeepSearch', 'xAI-Grok']],
  ]
  for (const [userAgent, names] of cases) {
    test(`${userAgent} names ${names.length ? names.join(' and ') : 'no bot'}`, () =>
      assert.deepEqual(namesIn(userAgent), names))
  }

  test('wherever it stands in any text', () => {
    const isWordCharacter = (character = '') => /^[\p{L}\p{N}]$/u.test(character)
    fc.assert(
      fc.property(anyText(), anyText(), (before, after) => {
        const touches = isWordCharacter([...before].at(-1)) || isWordCharacter([...after][0])
        assert.equal(namesIn(`${before}GPTBot${after}`).includes('GPTBot'), !touches)
      }),
    )
  })
})

describe('several names in one user agent', () => {
  test('the longest comes first', () => {
    assert.deepEqual(namesIn('CCBot/2.0 PerplexityBot/1.0 GPTBot/1.2'), ['PerplexityBot', 'GPTBot', 'CCBot'])
  })

  for (const bot of catalogue.bots.filter(bot => bot.notToken)) {
    for (const other of bot.notToken ?? []) {
      test(`${bot.name} gives way to ${other}`, () => {
        assert.ok(!namesIn(`${bot.token}1.0 (${other})`.replace(/(\w)1\.0/, '$1/1.0')).includes(bot.name))
        assert.ok(!namesIn(`${other}; ${bot.token}`.toUpperCase()).includes(bot.name))
      })
    }
  }

  test('an excluding name must stand at word boundaries too', () => {
    assert.deepEqual(namesIn('ClaudeBot/1.0 (NotClaude-Users)'), ['ClaudeBot'])
  })

  test('the contact address of ClaudeBot does not make Claude-User into ClaudeBot', () => {
    assert.deepEqual(namesIn('Claude-User/1.0; +claudebot@anthropic.com'), ['Claude-User'])
  })

  test('the old Exabot of Exalead is not the ExaBot of Exa', () => {
    assert.deepEqual(namesIn('Mozilla/5.0 (compatible; Exabot/3.0; +http://www.exabot.com/go/robot)'), [])
  })
})

test('finding names takes time that grows with the length alone', () => {
  for (const part of ['claude-', 'gptbot ', 'a', 'Mozilla/5.0 (', 'é ', '-', '\ud800']) {
    const started = performance.now()
    findBots(part.repeat(1_000_000 / part.length))
    // Measured: 5 to 40 ms. Quadratic time would be minutes.
    assert.ok(performance.now() - started < 2000, part)
  }
})
