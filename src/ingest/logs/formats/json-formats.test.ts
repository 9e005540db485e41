/** The formats that write one JSON object a line: nginx, Caddy and Cloudflare, in all the ways that they can be configured. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Expected, readLast, whole } from '../../../../tests/support/read-line.ts'
import { findFormat } from '../formats.ts'

const gptBot = 'Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)'

const moment = '2026-10-10T13:55:36.123Z'

describe('nginx JSON', () => {
  const read = (object: object): Expected | null =>
    readLast(findFormat('nginx-json')!, JSON.stringify(object))

  test('the names of other common configurations are understood', () => {
    assert.deepEqual(
      read({
        '@timestamp': '2026-10-10T13:55:36+00:00',
        client_ip: '2001:db8::7',
        request: 'GET /a%20b?utm_source=chatgpt.com HTTP/2.0',
        status: 404,
        referrer: 'https://chatgpt.com/',
        user_agent: gptBot,
      }),
      whole({
        at: '2026-10-10T13:55:36.000Z',
        address: '2001:db8::7',
        url: '/a%20b?utm_source=chatgpt.com',
        status: 404,
        referrer: 'https://chatgpt.com/',
        userAgent: gptBot,
      }),
    )
    assert.equal(read({ msec: '1791640536.123', request_uri: '/', request_method: 'HEAD' })?.at, moment)
    assert.equal(read({ time_local: '10/Oct/2026:15:55:36 +0200', path: '/', method: 'GET' })?.url, '/')
  })

  test('variables that are not set are empty, and broken requests are requests that nobody counts', () => {
    const line = read({
      msec: 1791640536.123,
      request: '',
      status: '000',
      http_user_agent: '-',
      http_referer: '-',
    })
    assert.deepEqual(line, whole({ at: moment, method: '', url: '', status: null }))
  })

  test('without escape=json nginx writes \\xHH, which JSON has not', () => {
    const line = String.raw`{"msec":1791640536.123,"request":"GET /\xC3\xBC HTTP/1.1","status":200,"http_user_agent":"a \x22b\x22 \\x41"}`
    const { userAgent } = readLast(findFormat('nginx-json')!, line)!
    assert.equal(userAgent, String.raw`a "b" \x41`)
  })

  test('an object without a request or a time is malformed', () => {
    assert.equal(read({ msec: 1, status: 200 }), null)
    assert.equal(read({ request: 'GET / HTTP/1.1', status: 200 }), null)
    assert.equal(readLast(findFormat('nginx-json')!, '{"request":"GET / HTTP/1.1"'), null)
    assert.equal(readLast(findFormat('nginx-json')!, '["request"]'), null)
  })
})

describe('Caddy JSON', () => {
  const format = findFormat('caddy-json')!
  const request = { method: 'GET', uri: '/a?b=c', client_ip: '198.51.100.4', remote_ip: '203.0.113.9' }

  test('client_ip goes before the proxy it came through; older logs have remote_addr with a port', () => {
    const line = {
      ts: 1646861401.5,
      status: 200,
      request: { ...request, headers: { Referer: ['https://claude.ai/'] } },
    }
    assert.deepEqual(
      readLast(format, JSON.stringify(line)),
      whole({
        at: '2022-03-09T21:30:01.500Z',
        address: '198.51.100.4',
        url: '/a?b=c',
        referrer: 'https://claude.ai/',
      }),
    )
    const old = (remote_addr: string): string | undefined =>
      readLast(
        format,
        JSON.stringify({ ts: 1, status: 200, request: { method: 'GET', uri: '/', remote_addr } }),
      )?.address
    assert.equal(old('127.0.0.1:4711'), '127.0.0.1')
    assert.equal(old('[2001:db8::7]:4711'), '2001:db8::7')
  })

  test('every time_format that Caddy documents is read', () => {
    const times = {
      '2022-03-09T21:30:01.500Z': [
        1646861401.5,
        1646861401500,
        1646861401500000000,
        '2022-03-09T22:30:01.500+0100',
        '2022-03-09T21:30:01.5Z',
        '2022/03/09 21:30:01.500',
      ],
      '2022-03-09T21:30:01.000Z': [
        '2022-03-09T22:30:01+01:00',
        '2022/03/09 21:30:01',
        '09/Mar/2022:22:30:01 +0100',
      ],
    }
    for (const [at, spellings] of Object.entries(times)) {
      for (const ts of spellings) {
        assert.equal(readLast(format, JSON.stringify({ ts, status: 200, request }))?.at, at, String(ts))
      }
    }
  })

  test('lines of other loggers in the same file are malformed', () => {
    assert.equal(
      readLast(format, '{"level":"info","ts":1646861401.5,"logger":"tls","msg":"cleaning storage"}'),
      null,
    )
  })
})

describe('Cloudflare Logpush', () => {
  const format = findFormat('cloudflare')!
  const line = { ClientRequestMethod: 'GET', ClientRequestURI: '/', EdgeResponseStatus: 200 }
  const at = (EdgeStartTimestamp: unknown): string | undefined =>
    readLast(format, JSON.stringify({ ...line, EdgeStartTimestamp }))?.at

  test('its three timestamp formats are the same moment', () => {
    assert.equal(at(1791640536000000000), '2026-10-10T13:55:36.000Z')
    assert.equal(at(1791640536), '2026-10-10T13:55:36.000Z')
    assert.equal(at('2026-10-10T13:55:36Z'), '2026-10-10T13:55:36.000Z')
  })

  test('a job without ClientRequestURI may have the path; one without either is malformed', () => {
    const { ClientRequestURI: _, ...rest } = { ...line, EdgeStartTimestamp: 1 }
    assert.equal(readLast(format, JSON.stringify({ ...rest, ClientRequestPath: '/p' }))?.url, '/p')
    assert.equal(readLast(format, JSON.stringify(rest)), null)
  })
})
