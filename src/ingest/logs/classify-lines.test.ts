/** A real log, line by line: every event that was counted beforehand, and the load of every request. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createDetector } from '../../detection/create-detector.ts'
import { type ClassifiedLines, LineClassifier } from './classify-lines.ts'
import { findFormat } from './formats.ts'

const folder = new URL('../../../tests/data/access-logs/', import.meta.url)
const expected = JSON.parse(readFileSync(new URL('ai-2026.expected.json', folder), 'utf8'))
const text = gunzipSync(readFileSync(new URL('ai-2026.log.gz', folder))).toString('utf8')

const openClassifier = (now: number): LineClassifier =>
  new LineClassifier(
    {
      detector: createDetector({ excludedBots: new Set() }),
      countryOf: () => 'ZZ',
      clock: () => now,
      source: 'import',
      siteDomain: expected.domain,
    },
    findFormat('combined')!.open(null),
  )

function countsOf(names: Iterable<string>): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

describe('the lines of a real log', () => {
  let classified: ClassifiedLines
  before(() => {
    const classifier = openClassifier(Date.UTC(2027, 0, 1))
    for (const line of text.trimEnd().split('\n')) classifier.add(line)
    classified = classifier.take()
  })

  test('become exactly the bot visits and clicks that were counted in it', () => {
    const { events, tally } = classified
    const bots = events.filter(({ type }) => type === 'bot')
    const clicks = events.filter(({ type }) => type === 'referral')
    assert.deepEqual(
      countsOf(bots.map(({ name, company }) => `${name} of ${company}`)),
      Object.fromEntries(
        expected.bots.map((row: { bot_name: string; bot_company: string; count: number }) => [
          `${row.bot_name} of ${row.bot_company}`,
          row.count,
        ]),
      ),
    )
    assert.deepEqual(
      countsOf(clicks.map(({ name }) => name)),
      Object.fromEntries(
        expected.referrers.map((row: { source: string; count: number }) => [row.source, row.count]),
      ),
    )
    assert.equal(tally.malformed, expected.malformed)
    assert.deepEqual(tally.recorded, { bot: bots.length, referral: clicks.length })
  })

  test('are all in the load, with the bytes that the log tells', () => {
    const { load, tally } = classified
    const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)
    assert.equal(sum(load.map(({ requests }) => requests)), tally.lines - tally.malformed)
    const sizes = text.matchAll(/" \d{3} (\d+) ".*" ".*"$/gm)
    assert.equal(sum(load.map(({ bytes }) => bytes)), sum(Array.from(sizes, ([, size]) => Number(size))))
    const requestsOf = (...kinds: string[]): number =>
      sum(load.filter(({ kind }) => kinds.includes(kind)).map(({ requests }) => requests))
    assert.equal(requestsOf('ai-bot'), tally.recorded.bot)
    assert.equal(requestsOf('assistant-click'), tally.recorded.referral)
    assert.equal(requestsOf('asset'), tally.ignored['static-asset'])
    assert.equal(requestsOf('person'), tally.ignored['own-referrer'] + tally.ignored['no-assistant'])
    assert.ok(requestsOf('search-bot') > 0 && requestsOf('other-robot') > 0)
  })
})

test('a path cut from a long line does not keep the line in memory', () => {
  const classifier = openClassifier(Date.UTC(2027, 0, 1))
  const padding = 'x'.repeat(60_000)
  const line = (n: number): string =>
    `192.0.2.7 - - [10/Oct/2026:13:55:36 +0000] "GET /a/page/with/a/long/name/${n} HTTP/1.1" 200 12 "-" "GPTBot/1.2" "${padding}${n}"`
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < 2000; n++) classifier.add(line(n))
  const grown = (process.memoryUsage().heapUsed - before) / 2 ** 20
  assert.equal(classifier.eventCount, 2000)
  // The lines together have 114 MiB; garbage that was not yet collected is among what has grown.
  assert.ok(grown < 80, `${Math.round(grown)} MiB`)
})
