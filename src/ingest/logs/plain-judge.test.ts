/** Lines that are judged as plain ones come to what they come to one by one. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { createDetector } from '../../detection/create-detector.ts'
import { viewOf } from './byte-memory.ts'
import { findFormat } from './formats.ts'
import { type JudgeParts, LineJudge } from './line-judge.ts'
import { rawLine } from './log-line.ts'

const parts: JudgeParts = {
  detector: createDetector({ excludedBots: new Set(['Bytespider']) }),
  countryOf: address => (address.startsWith('192.') ? 'DE' : 'ZZ'),
  clock: () => Date.UTC(2026, 11, 1),
  source: 'import',
}

const newJudge = (): LineJudge => new LineJudge(parts, findFormat('combined')!.open('example.com', null))

const taken = (judge: LineJudge) => {
  const { events, tally } = judge.takeJudged()
  return { events: events.toArray(), tally }
}

function oneByOne(lines: readonly string[]) {
  const judge = newJudge()
  for (const text of lines) judge.judge(rawLine(text))
  return taken(judge)
}

/** Runs that end after `eventsMax` events, and single lines in between, as LogImport does. */
function inRuns(lines: readonly string[], eventsMax: number) {
  const judge = newJudge()
  const bytes = Buffer.from(lines.map(text => `${text}\n`).join(''))
  const view = viewOf(bytes)
  let plain = 0
  let line = 0
  for (let from = 0; from < bytes.length; ) {
    const run = judge.judgePlain({ bytes, view, from, to: bytes.length }, judge.eventCount + eventsMax)
    plain += run.lines
    line += run.lines
    from = run.to
    if (from === bytes.length) break
    judge.judge(rawLine(lines[line++]!))
    from = bytes.indexOf(10, from) + 1
  }
  assert.equal(line, lines.length)
  return { ...taken(judge), plain }
}

function assertSame(lines: readonly string[], eventsMax: number): number {
  const { plain, ...judged } = inRuns(lines, eventsMax)
  assert.deepEqual(judged, oneByOne(lines))
  return plain
}

/** Few letters, so that texts often differ in one byte only, and often come again. */
const similarText = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.nat(3)).map(([length, at]) => {
  const text = 'a'.repeat(length)
  return at < length ? `${text.slice(0, at)}b${text.slice(at + 1)}` : text
})

describe('plain lines', () => {
  test('become the same events and counts as when they are judged one by one', () => {
    const line = fc
      .record({
        address: fc.constantFrom('192.0.2.7', '2001:db8::7', 'host.example', '-'),
        day: fc.constantFrom('09/Oct/2026', '10/Oct/2026', '03/Dec/2026', '01/Jan/1970'),
        zone: fc.constantFrom('+0000', '+0200', '-0930'),
        method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'get', 'OPTIONS'),
        path: fc.constantFrom('/', '/a', '/a.css', '/b.CSS', '/a.html', '//a', '/a.woff2', '/ü', '/%20'),
        query: fc.constantFrom(
          '',
          '?',
          '?a=b.css',
          '?utm_source=chatgpt.com',
          '#x?utm_source=chatgpt.com',
          '?q#f',
        ),
        status: fc.constantFrom('200', '301', '304', '404', '500', '-'),
        referrer: fc.oneof(
          fc.constantFrom(
            ...[
              '-',
              '',
              'https://chatgpt.com/',
              'https://www.example.com/',
              'https://a.example/',
              '(x)',
              'ü',
            ],
          ),
          similarText,
        ),
        agent: fc.oneof(
          fc.constantFrom(
            ...[
              '-',
              '',
              'GPTBot/1.2',
              'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
              'curl/8',
              'Bytespider',
              '\\"',
            ],
          ),
          similarText.map(text => `Mozilla/5.0 (X11) Firefox/${text}`),
          similarText,
        ),
      })
      .map(
        ({ address, day, zone, method, path, query, status, referrer, agent }) =>
          `${address} - - [${day}:00:55:36 ${zone}] "${method} ${path}${query} HTTP/1.1" ${status} 12 "${referrer}" "${agent}"`,
      )
    let plain = 0
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 60, size: 'max' }),
        fc.integer({ min: 1, max: 5 }),
        (lines, eventsMax) => {
          plain += assertSame(lines, eventsMax)
        },
      ),
      { numRuns: 200 },
    )
    assert.ok(plain > 1000, `${plain} plain lines`)
  })

  test('of a real log too', () => {
    const file = new URL('../../../tests/data/access-logs/ai-2026.log.gz', import.meta.url)
    const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')
    assert.ok(assertSame(lines.slice(0, 4000), 100) > 3000)
  })
})
