/** The combined, common and vhost formats at their edges: what servers escape, what strangers send, what is no line. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { anyText } from '../../../../tests/support/any-text.ts'
import { findFormat, logFormats } from '../formats.ts'
import type { LogLine } from '../log-line.ts'

const read = (name: string, text: string): LogLine | null => {
  const parser = findFormat(name)!.open(null)
  return parser.parse(text) ? parser.line : null
}
const combined = (text: string): LogLine | null => read('combined', text)

/** A line with one part exchanged. */
function line(parts: {
  client?: string
  time?: string
  request?: string
  sizes?: string
  tail?: string
}): string {
  const { client = '192.0.2.7 - -', time = '10/Oct/2026:13:55:36 +0000', request = 'GET / HTTP/1.1' } = parts
  return `${client} [${time}] "${request}" ${parts.sizes ?? '200 12'} ${parts.tail ?? '"-" "-"'}`
}

describe('the request in a combined line', () => {
  const cases: [string, string, string][] = [
    ['GET /a?b=c HTTP/1.1', 'GET', '/a?b=c'],
    ['GET / HTTP/2.0', 'GET', '/'],
    ['HEAD /a HTTP/3', 'HEAD', '/a'],
    ['GET /old', 'GET', '/old'],
    ['GET /a b c HTTP/1.0', 'GET', '/a b c'],
    ['GET http://www.example.com/a HTTP/1.1', 'GET', 'http://www.example.com/a'],
    ['GET  /two HTTP/1.1', 'GET', ' /two'],
    ['-', '-', ''],
    ['', '', ''],
    ['GET', 'GET', ''],
    [String.raw`\x16\x03\x01\x02`, String.raw`\x16\x03\x01\x02`, ''],
    [String.raw`GET /\xC3\xBC\"x\\ HTTP/1.1`, 'GET', '/ü"x\\'],
    ['OPTIONS * HTTP/1.0', 'OPTIONS', '*'],
  ]
  for (const [request, method, url] of cases) {
    test(`"${request}" is ${method || 'no method'} of ${url || 'nothing'}`, () => {
      const read = combined(line({ request }))
      assert.deepEqual([read?.method, read?.url], [method, url])
    })
  }
})

describe('the other fields of a combined line', () => {
  test('a dash is nothing, and what a server adds behind the user agent is passed over', () => {
    const read = combined(line({ sizes: '- -', tail: '"-" "-" "203.0.113.1" 0.004 host="a"' }))
    assert.deepEqual([read?.status, read?.referrer, read?.userAgent], [null, '', ''])
  })

  test('escapes in referrer and user agent are undone: Apache writes \\", both write \\xHH', () => {
    const tail = String.raw`"https://a.example/\"q\"" "Mozilla \"x\" \\ \x22y\x22 \xe2\x82\xac \t"`
    const read = combined(line({ tail }))
    assert.equal(read?.referrer, 'https://a.example/"q"')
    assert.equal(read?.userAgent, 'Mozilla "x" \\ "y" € \t')
  })

  test('a field may end in an escaped backslash', () => {
    const read = combined(line({ tail: String.raw`"C:\\" "agent\\\""` }))
    assert.deepEqual([read?.referrer, read?.userAgent], ['C:\\', String.raw`agent\"`])
  })

  test('IPv6 clients, host names, and user names with spaces and brackets', () => {
    assert.equal(combined(line({ client: '2001:db8::7 - -' }))?.address, '2001:db8::7')
    assert.equal(combined(line({ client: 'crawl-1.example.com - -' }))?.address, 'crawl-1.example.com')
    const named = combined(line({ client: '192.0.2.7 - some one [admin]' }))
    assert.equal(named?.timeMs, Date.UTC(2026, 9, 10, 13, 55, 36))
  })

  test('a status of three zeros is none', () => {
    assert.equal(combined(line({ sizes: '000 0' }))?.status, null)
    assert.equal(combined(line({ sizes: '499 0' }))?.status, 499)
  })

  test('a leading virtual host is only one if an address follows', () => {
    const host = line({ client: 'www.example.com:443 2001:db8::7 - -' })
    assert.equal(read('vhost-combined', host)?.address, '2001:db8::7')
    assert.equal(read('vhost-combined', line({})), null)
    assert.equal(read('vhost-combined', ` ${host}`), null)
  })
})

describe('what is no line', () => {
  const broken = {
    nothing: '',
    'a word': 'GET',
    'no client': line({ client: '' }),
    'no time': '192.0.2.7 - - "GET / HTTP/1.1" 200 12 "-" "-"',
    'a broken time': line({ time: '10/Oct/2026:13:55 +0000' }),
    'a day that no month has': line({ time: '31/Sep/2026:13:55:36 +0000' }),
    'a request without end': line({}).slice(0, 60),
    'a status of two digits': line({ sizes: '20 12' }),
    'a status of four digits': line({ sizes: '2000 12' }),
    'no size': line({ sizes: '200 ' }),
    'no referrer': line({ tail: '' }),
    'no user agent': line({ tail: '"-"' }),
    'a user agent without end': line({ tail: '"-" "Mozilla/5.0 (compatible; Googlebot/2.1' }),
    'a user agent that ends in an escaped quote': line({ tail: String.raw`"-" "agent\"` }),
    bytes: '\u0000\u0001\u0002\u00ff\ufffd',
  }
  for (const [what, text] of Object.entries(broken)) {
    test(`${what} is malformed`, () => assert.equal(combined(text), null))
  }

  test('a combined line is no common one, and a common one no combined one', () => {
    const common = '192.0.2.7 - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 -'
    assert.equal(read('common', common)?.url, '/')
    assert.equal(combined(common), null)
    assert.equal(read('common', `${common} "-" "-"`), null)
  })

  test('a field of tens of thousands of quotes is read as any other', () => {
    const quotes = String.raw`\"`.repeat(30_000)
    const plain = '"'.repeat(30_000)
    assert.equal(combined(line({ tail: `"-" "${quotes}"` }))?.userAgent, plain)
    assert.equal(combined(line({ tail: `"${quotes}" "-"` }))?.referrer, plain)
    assert.equal(combined(line({ request: `GET /${quotes} HTTP/1.1` }))?.url, `/${plain}`)
    assert.equal(combined(line({ tail: `"-" "${quotes}` })), null)
  })

  test('no text makes any format throw', () => {
    const cuts = fc.constantFrom(...logFormats.map(({ sample }) => sample.split('\n').at(-1)!))
    const mangled = fc
      .tuple(cuts, fc.nat(400), fc.nat(20), anyText())
      .map(([text, at, length, insert]) => text.slice(0, at) + insert + text.slice(at + length))
    const parsers = logFormats.map(({ sample, open }) => {
      const parser = open(null)
      for (const text of sample.split('\n')) if (text.startsWith('#')) parser.directive(text)
      return parser
    })
    fc.assert(
      fc.property(fc.oneof(mangled, anyText(200)), text => {
        for (const parser of parsers) parser.parse(text)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('a real log is read line by line as a careful regular expression reads it', () => {
  const expression =
    /^(\S+) \S+ \S+ \[([^\]]+)\] "((?:[^"\\]|\\.)*)" (\d{3}|-) (?:\d+|-) "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"/
  const dash = (text: string): string => (text === '-' ? '' : text.replace(/\\"/g, '"'))

  for (const name of ['ai-2026.log.gz', 'semicomplete-2015.log.gz']) {
    test(name, () => {
      const file = new URL(`../../../../tests/data/access-logs/${name}`, import.meta.url)
      const parser = findFormat('combined')!.open(null)
      for (const text of gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')) {
        const expected = expression.exec(text)
        assert.equal(parser.parse(text), expected !== null, text)
        // What stands for other bytes has tests of its own.
        if (expected === null || text.includes('\\x')) continue
        const [, address, time = '', request = '', status, referrer = '', userAgent = ''] = expected
        const { line } = parser
        assert.equal(`${line.method} ${line.url}`, request.replace(/ HTTP\/\d\.\d$/, ''))
        assert.deepEqual([line.address, String(line.status)], [address, status])
        assert.deepEqual([line.referrer, line.userAgent], [dash(referrer), dash(userAgent)])
        assert.equal(line.timeMs, Date.parse(time.replace(/\//g, ' ').replace(':', ' ')))
      }
    })
  }
})
