/** Every format is recognised by itself, and its vendor's documented line is read field by field. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { type Expected, readLast, whole } from '../../../tests/support/read-line.ts'
import { detectFormat, findFormat, formatNames, holdsLines, logFormats } from './formats.ts'

const gptBot = 'Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)'

/** What each format's own sample says. */
const samples: Record<string, Expected> = {
  combined: {
    at: '2000-10-10T20:55:36.000Z',
    address: '127.0.0.1',
    url: '/apache_pb.gif',
    referrer: 'http://www.example.com/start.html',
    userAgent: 'Mozilla/4.08 [en] (Win98; I ;Nav)',
    bytes: 2326,
  },
  common: { at: '2000-10-10T20:55:36.000Z', address: '127.0.0.1', url: '/apache_pb.gif', bytes: 2326 },
  'vhost-combined': {
    at: '2000-10-10T20:55:36.000Z',
    address: '192.0.2.7',
    url: '/start.html',
    userAgent: 'Mozilla/4.08 [en] (Win98; I ;Nav)',
    bytes: 2326,
  },
  'nginx-json': {
    at: '2026-10-10T11:55:36.000Z',
    address: '192.0.2.7',
    url: '/start.html?page=2',
    userAgent: gptBot,
  },
  'caddy-json': {
    at: '2022-03-09T21:30:01.524Z',
    address: '192.0.2.7',
    url: '/',
    userAgent: 'curl/7.82.0',
    bytes: 10900,
    durationMs: 1,
  },
  cloudflare: {
    at: '2026-10-10T13:55:36.123Z',
    address: '192.0.2.7',
    country: 'de',
    url: '/start.html?page=2',
    userAgent: gptBot,
  },
  vercel: {
    at: '2019-11-15T11:27:30.172Z',
    address: '192.0.2.7',
    url: '/start.html?page=2',
    referrer: 'https://my-app.vercel.app',
    userAgent: gptBot,
  },
  netlify: {
    at: '2026-10-10T11:55:36.123Z',
    address: '192.0.2.7',
    country: 'DE',
    url: 'https://www.example.com/start.html?page=2',
    userAgent: gptBot,
    bytes: 2326,
    durationMs: 12,
  },
  'cloudfront-json': {
    at: '2026-10-10T11:55:36.000Z',
    address: '192.0.2.7',
    url: '/start.html?page=2',
    userAgent: gptBot,
    bytes: 392,
  },
  cloudfront: {
    at: '2019-12-04T21:02:31.000Z',
    address: '192.0.2.24',
    url: '/index.html',
    userAgent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/78.0.3904.108 Safari/537.36',
    bytes: 392,
    durationMs: 1,
  },
  alb: {
    at: '2018-07-02T22:23:00.186Z',
    address: '192.168.131.39',
    url: 'https://www.example.com:443/',
    userAgent: 'curl/7.46.0',
    bytes: 57,
    durationMs: 171,
  },
  iis: {
    at: '2026-10-10T13:55:36.000Z',
    address: '192.0.2.7',
    url: '/start.html?page=2',
    userAgent: gptBot,
    durationMs: 15,
  },
}

describe('recognising a format', () => {
  for (const format of logFormats) {
    test(`${format.name} is recognised by its documented sample, and its fields are read`, () => {
      assert.equal(detectFormat(Buffer.from(format.sample))?.name, format.name)
      assert.equal(detectFormat(Buffer.from(`${format.sample}\r\n`))?.name, format.name)
      assert.deepEqual(readLast(format, format.sample), whole(samples[format.name]!))
    })
  }

  test('docs/import.md shows the sample of every format, and no other', () => {
    const page = readFileSync(new URL('../../../docs/import.md', import.meta.url), 'utf8')
    const shown = page.matchAll(/^### (.+)\n\n.+\n\n```\n([^`]+)\n```$/gm)
    assert.deepEqual(
      Object.fromEntries(Array.from(shown, ([, name, sample]) => [name, sample])),
      Object.fromEntries(logFormats.map(({ name, sample }) => [name, sample])),
    )
  })

  test('every name finds its format, and no other does', () => {
    assert.deepEqual(
      formatNames.map(name => findFormat(name)?.name),
      formatNames,
    )
    assert.equal(findFormat('apache'), null)
  })

  test('the first lines vote, so a few broken ones decide nothing', () => {
    const combined = findFormat('combined')!.sample
    assert.equal(detectFormat(Buffer.from(`\u0000\u0001garbage\n\n{"a":1}\n${combined}\n`))?.name, 'combined')
    const common = findFormat('common')!.sample
    assert.equal(detectFormat(Buffer.from(`${common}\n${combined}\n${combined}\n`))?.name, 'combined')
  })

  test('an unfinished last line does not vote: half a combined line can look like a common one', () => {
    const { sample } = findFormat('combined')!
    const half = sample.slice(0, sample.indexOf(' "http'))
    assert.equal(detectFormat(Buffer.from(half))?.name, 'common')
    assert.equal(detectFormat(Buffer.from(`${sample}\n${half}`))?.name, 'combined')
  })

  test('a byte order mark before the first line is no part of it', () => {
    assert.equal(detectFormat(Buffer.from(`\ufeff${findFormat('iis')!.sample}\n`))?.name, 'iis')
  })

  test('what is no access log is not recognised', () => {
    const texts = [
      '',
      '\n\n',
      '#Version: 1.0\n',
      'Nov 20 10:17:01 host sshd[1]: hello\n',
      '{"a":1}\n',
      '[]\n',
      'null\n',
    ]
    for (const text of texts) assert.equal(detectFormat(Buffer.from(text)), null, text)
    assert.equal(detectFormat(Buffer.from([0x1f, 0x8b, 0xff, 0xfe, 10, 0, 10])), null)
  })

  test('blank lines and # lines are no lines', () => {
    assert.equal(holdsLines(Buffer.from('\n#Fields: a b\r\n\r\n')), false)
    assert.equal(holdsLines(Buffer.from('#Fields: a b\nx\n')), true)
  })
})
