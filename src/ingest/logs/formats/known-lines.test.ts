/** Lines that are known to be ignored are passed over, and what is said of the next one is what is read of it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../../../tests/support/any-text.ts'
import { markedLength } from '../byte-marks.ts'
import { viewOf } from '../byte-memory.ts'
import { ignoredFrom, KnownVerdicts, undecided, unknown } from '../known-verdicts.ts'
import { type PassOver, type PlainLineReader, plainMethods } from '../log-line.ts'
import { createPlainCombinedReader } from './plain-combined.ts'

const latestMs = Date.UTC(2027, 0, 1)
const line =
  '192.0.2.7 - - [10/Oct/2026:13:55:36 +0000] "GET /a?b=c HTTP/1.1" 200 12 "https://a.example/" "Mozilla/5.0 (X11)"'

interface Passing {
  readonly reader: PlainLineReader
  readonly known: KnownVerdicts
  readonly passOver: PassOver
}

/** A reader that has met the day of the line, and takes the same verdict on each request. */
function passing(verdict: number): Passing {
  const reader = createPlainCombinedReader()
  const known = new KnownVerdicts()
  known.requests.fill(verdict)
  const passOver = reader.passing(known)!
  const bytes = Buffer.from(`${line}\n`)
  assert.equal(reader.read(bytes, viewOf(bytes), 0, bytes.length), bytes.length)
  return { reader, known, passOver }
}

/** What is read of the line at `from`; null when it is not plain. */
function lineAt(reader: PlainLineReader, bytes: Buffer, from: number) {
  const next = reader.read(bytes, viewOf(bytes), from, bytes.lastIndexOf(10) + 1)
  if (next === -1 || Number.isNaN(reader.line.timeMs)) return null
  const { timeMs, method, status, ...places } = reader.line
  const { addressFrom, addressTo, targetFrom, pathTo, targetTo } = places
  const { referrerFrom, referrerTo, agentFrom, agentTo } = places
  return {
    ...{ next, timeMs, method, status, addressFrom, addressTo, targetFrom, pathTo, targetTo },
    ...{ referrerFrom, referrerTo, agentFrom, agentTo },
  }
}

const piece = fc.oneof(
  fc.constantFrom(
    '"',
    ' ',
    '\\',
    '?',
    '#',
    '-',
    '/',
    ' HTTP/1.1',
    '] "',
    '[',
    '\r',
    '.css',
    'ü',
    '4',
    ':6',
    '11/Oct',
  ),
  anyText(10),
)
const mangled = fc
  .tuple(fc.nat(line.length), fc.nat(12), piece)
  .map(([at, length, insert]) => line.slice(0, at) + insert.replaceAll('\n', '') + line.slice(at + length))

const ignoring = passing(ignoredFrom)
const asking = passing(unknown)

describe('lines that are known to be ignored', () => {
  test('are passed over when they are plain and of the day that is known, however they are mangled', () => {
    const day = line.slice(line.indexOf('['), line.indexOf(':'))
    let passed = 0
    fc.assert(
      fc.property(mangled, text => {
        const bytes = Buffer.from(`${text}\n${line}`)
        const read = lineAt(createPlainCombinedReader(), bytes, 0)
        const to = ignoring.passOver(bytes, 0, bytes.lastIndexOf(10) + 1, latestMs)
        const isSameDay = text.includes(`${day}:`) && text.includes(' +0000]')
        // A leap second is left to those who read with more care.
        const isLeapSecond = read !== null && /:60 \+0000/.test(text)
        assert.equal(to, read !== null && isSameDay && !isLeapSecond ? read.next : 0, text)
        if (to > 0) passed++
      }),
      { numRuns: 5000 },
    )
    assert.ok(passed > 1000, `${passed} lines`)
  })

  test('end where one is not known, of which the same is said as when it is read', () => {
    fc.assert(
      fc.property(fc.array(mangled, { minLength: 1, maxLength: 3 }), texts => {
        const bytes = Buffer.from(`${texts.join('\n')}\n`)
        assert.equal(asking.passOver(bytes, 0, bytes.length, latestMs), 0)
        assert.deepEqual(lineAt(asking.reader, bytes, 0), lineAt(createPlainCombinedReader(), bytes, 0))
      }),
      { numRuns: 3000 },
    )
  })

  test('are counted by their reasons, run after run', () => {
    const { known, passOver } = passing(ignoredFrom + 2)
    const lines = Math.ceil((3 * markedLength) / line.length)
    const bytes = Buffer.from(`${line}\n`.repeat(lines))
    assert.equal(passOver(bytes, 0, bytes.length, latestMs), bytes.length)
    assert.equal(known.passed[0], lines)
    assert.deepEqual([...known.ignored], [0, 0, lines, 0, 0, 0, 0, 0, 0])
  })

  test('are told apart by status, method and static assets', () => {
    const { known, passOver } = passing(ignoredFrom)
    const isPassed = (text: string): boolean => {
      const bytes = Buffer.from(`${text}\n`)
      return passOver(bytes, 0, bytes.length, latestMs) === bytes.length
    }
    for (const [number, method] of plainMethods.entries()) {
      for (const [asset, target] of [
        [0, '/a'],
        [0, '/a.html'],
        [0, '/css'],
        [0, '/a.css.x'],
        [0, '/.'],
        [0, '/a?b.css'],
        [1, '/a.css'],
        [1, '/a.CSS?b'],
        [1, '/b.7z'],
        [1, '/a.woff2'],
        [1, '/a.mp4#b'],
      ] as const) {
        const kind = (404 * plainMethods.length + number) * 2 + asset
        const text = line.replace('GET', method).replace('200', '404').replace('/a?b=c', target)
        known.requests[kind] = unknown
        assert.equal(isPassed(text), false, text)
        known.requests[kind] = ignoredFrom
        known.requests[kind ^ 1] = unknown
        assert.equal(isPassed(text), true, text)
        known.requests[kind ^ 1] = ignoredFrom
      }
    }
  })

  test('are none where the request does not decide and the visitor is not known', () => {
    const { passOver } = passing(undecided)
    const bytes = Buffer.from(`${line}\n`)
    assert.equal(passOver(bytes, 0, bytes.length, latestMs), 0)
  })

  test('are none on a day that is not wholly before the latest time, nor before a day was met', () => {
    const bytes = Buffer.from(`${line}\n`)
    const isPassed = (latest: number): boolean => ignoring.passOver(bytes, 0, bytes.length, latest) > 0
    assert.equal(isPassed(Date.UTC(2026, 9, 11, 13, 55, 35)), false)
    assert.equal(isPassed(Date.UTC(2026, 9, 11, 13, 55, 36)), true)
    const known = new KnownVerdicts()
    known.requests.fill(ignoredFrom)
    assert.equal(createPlainCombinedReader().passing(known)!(bytes, 0, bytes.length, latestMs), 0)
  })
})
