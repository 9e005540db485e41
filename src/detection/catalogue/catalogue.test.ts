/** The catalogue files must match their schemas, agree with each other, and change their version with their data. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, test } from 'node:test'
import Type from 'typebox'
import Value from 'typebox/value'
import { catalogue } from './catalogue.ts'
import { BotEntry, ReferrerSource } from './schema.ts'

const { bots, sources, version } = catalogue

const assertUnique = (texts: readonly string[]) => {
  const lower = texts.map(text => text.toLowerCase())
  assert.deepEqual(
    lower.filter((text, index) => lower.indexOf(text) !== index),
    [],
  )
}

describe('the catalogue', () => {
  test('follows its schemas, and has nothing that they do not name', () => {
    assert.deepEqual(Value.Errors(Type.Array(BotEntry), bots), [])
    assert.deepEqual(Value.Errors(Type.Array(ReferrerSource), sources), [])
  })

  test('is complete: 179 bots and 62 referrer sources', () => {
    assert.deepEqual([bots.length, sources.length], [179, 62])
  })

  test('changes its version whenever its data change', () => {
    const digest = hash('sha256', JSON.stringify({ bots, sources }))
    assert.deepEqual(
      { version, digest },
      {
        version: '2026-11-20',
        digest: '2896f5263e3cfa66017e53262c4aaed039297a7da2cffc5e34eb21af45db665a',
      },
      'The data changed: set the version in catalogue.ts to today, then version and digest here.',
    )
  })

  test('names every bot, token and assistant once, whatever the letter case', () => {
    assertUnique(bots.map(bot => bot.name))
    assertUnique(bots.flatMap(bot => bot.token ?? []))
    assertUnique(sources.map(source => source.source))
  })

  test('gives every host, mark and app to one assistant', () => {
    assertUnique(sources.flatMap(source => [...source.hosts, ...(source.notHosts ?? [])]))
    assertUnique(sources.flatMap(source => source.utmSources))
    assertUnique(sources.flatMap(source => source.androidApps))
    const hosts = new Set(sources.flatMap(source => [...source.hosts, ...(source.notHosts ?? [])]))
    const shared = sources.flatMap(source => source.conditions ?? []).map(condition => condition.host)
    assert.deepEqual(
      shared.filter(host => hosts.has(host)),
      [],
    )
  })

  test('has a token exactly for the bots that a user agent can name', () => {
    for (const bot of bots) assert.equal(bot.token === null, bot.match === 'signature-only', bot.name)
  })

  test('has the five debatable bots, so that settings can exclude them', () => {
    const names = new Set(bots.map(bot => bot.name))
    for (const name of ['Applebot', 'Amazonbot', 'PetalBot', 'Bravebot', 'GoogleOther'])
      assert.ok(names.has(name))
  })

  test('marks what rests on a single source', () => {
    const weak = bots.filter(bot => bot.confidence === 'single-source').map(bot => bot.name)
    assert.ok(weak.includes('GrokBot') && !weak.includes('GPTBot'))
  })
})
