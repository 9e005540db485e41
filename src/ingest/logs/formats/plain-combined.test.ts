/** What is read as a plain line says the same when it is read with care; and it is nearly every line. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { anyText } from '../../../../tests/support/any-text.ts'
import { markedLength } from '../byte-marks.ts'
import { viewOf } from '../byte-memory.ts'
import { findFormat } from '../formats.ts'
import {
  type LineParser,
  type LogLine,
  type PlainLine,
  type PlainLineReader,
  plainMethods,
  present,
  rawLine,
} from '../log-line.ts'

interface Readers {
  readonly careful: LineParser
  readonly plain: PlainLineReader
}

const readers = (format: string): Readers => {
  const careful = findFormat(format)!.open('', null)
  return { careful, plain: careful.plain!() }
}
const ofCombined = readers('combined')
const ofVirtualHosts = readers('vhost-combined')

/** Reads the first line of a log; false when it is not plain. */
function agrees(log: string | Buffer, { careful, plain } = ofCombined): boolean {
  const bytes = Buffer.from(log)
  const end = bytes.indexOf(10)
  const next = plain.read(bytes, viewOf(bytes), 0, bytes.lastIndexOf(10) + 1)
  if (next === -1 || Number.isNaN(plain.line.timeMs)) return false
  assert.equal(next, end + 1)
  const text = bytes.toString('utf8', 0, end)
  assert.equal(careful.parse(rawLine(text)), true, text)
  assert.deepEqual(fieldsOf(bytes, plain.line), fieldsRead(careful.line), text)
  return true
}

function fieldsOf(bytes: Buffer, line: PlainLine) {
  const field = (from: number, to: number): string => present(bytes.toString('latin1', from, to))
  return {
    timeMs: line.timeMs,
    method: plainMethods[line.method],
    status: line.status,
    address: present(bytes.toString('latin1', line.addressFrom, line.addressTo).replace(/ .*$/, '')),
    url: field(line.targetFrom, line.targetTo),
    path: field(line.targetFrom, line.pathTo),
    referrer: field(line.referrerFrom, line.referrerTo),
    userAgent: field(line.agentFrom, line.agentTo),
  }
}

function fieldsRead({ timeMs, method, status, address, url, referrer, userAgent }: LogLine) {
  return { timeMs, method, status, address, url, path: url.replace(/[?#].*$/s, ''), referrer, userAgent }
}

const line =
  '192.0.2.7 - - [10/Oct/2026:13:55:36 +0000] "GET /a?b=c HTTP/1.1" 200 12 "https://a.example/" "Mozilla/5.0 (X11)"'

describe('a plain line of the combined format', () => {
  for (const [what, text] of Object.entries({
    'a usual one': line,
    HEAD: line.replace('GET', 'HEAD'),
    POST: line.replace('GET', 'POST'),
    'HTTP/2': line.replace('HTTP/1.1', 'HTTP/2'),
    'a fragment': line.replace('?', '#'),
    'a target with spaces': line.replace('/a?', '/a b?'),
    'a query in the referrer': line.replace('example/', 'example/?a#b'),
    'a host for a client': line.replace('192.0.2.7', 'crawl-1.example.com'),
    IPv6: line.replace('192.0.2.7', '2001:db8::7'),
    'dashes for what is missing': line.replace('12 "https://a.example/" "Mozilla/5.0 (X11)"', '- "-" "-"'),
    'empty fields': line.replace('"https://a.example/" "Mozilla/5.0 (X11)"', '"" ""'),
    'more behind the user agent': `${line} "203.0.113.1" 0.004 ü \\`,
    'an end of line of Windows': `${line}\r`,
    'the longest': line.replace('/a?', `/${'a'.repeat(markedLength - line.length - 1)}a?`),
    'a user name of several words': line.replace('- -', '- some [one]'),
    'no address': line.replace('192.0.2.7', '-'),
  })) {
    test(`is ${what}`, () => assert.equal(agrees(`${text}\nrest`), true))
  }

  for (const [what, text] of Object.entries({
    nothing: '',
    'a directive': `#${line}`,
    'no client': line.replace('192.0.2.7 - -', ''),
    'a time right behind the address': line.replace(' - - ', ''),
    'a time that is none': line.replace('10/Oct', '32/Oct'),
    'another method': line.replace('GET', 'OPTIONS'),
    'a method that only begins like one': line.replace('GET', 'HEADS'),
    'an absolute URL': line.replace('/a', 'http://a.example/a'),
    'a request without protocol': line.replace(' HTTP/1.1', ''),
    'an escape': line.replace('Mozilla', '\\"Mozilla'),
    'letters beyond ASCII': line.replace('Mozilla', 'Möbelhaus'),
    'no status': line.replace('200', '-'),
    'a status of zeros': line.replace('200', '000'),
    'a user agent without end': line.slice(0, -1),
    'a longer one': line.replace('/a', `/${'a'.repeat(markedLength - line.length)}a`),
  })) {
    test(`is not ${what}`, () => assert.equal(agrees(`${text}\n${line}\n`), false))
  }

  test('says what it says when it is read with care, however it is mangled', () => {
    let read = 0
    const piece = fc.oneof(
      fc.constantFrom('"', ' ', '\\', '?', '#', '-', '/', ' HTTP/1.1', '] "', '[', '\r', '.css', 'ü', '4'),
      anyText(10),
    )
    const mangled = fc
      .tuple(fc.nat(line.length), fc.nat(12), piece)
      .map(
        ([at, length, insert]) => line.slice(0, at) + insert.replaceAll('\n', '') + line.slice(at + length),
      )
    fc.assert(
      fc.property(mangled, fc.constantFrom('', line, '"'), (text, behind) => {
        if (agrees(`${text}\n${behind}`)) read++
        if (agrees(`www.example.com:443 ${text}\n${behind}`, ofVirtualHosts)) read++
        agrees(`${text}\n${behind}`, ofVirtualHosts)
      }),
      { numRuns: 5000 },
    )
    assert.ok(read > 2000, `${read} lines`)
  })

  for (const name of ['ai-2026.log.gz', 'semicomplete-2015.log.gz']) {
    test(`is nearly every line of ${name}`, () => {
      const file = new URL(`../../../../tests/data/access-logs/${name}`, import.meta.url)
      const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')
      const read = lines.filter(text => agrees(`${text}\n`)).length
      assert.ok(read > lines.length * 0.98, `${read} of ${lines.length}`)
    })
  }
})
