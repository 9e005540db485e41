/** Entries of AWS load balancers. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readLast, whole } from '../../../../tests/support/read-line.ts'
import { findFormat } from '../formats.ts'

const gptBot = 'Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)'

describe('AWS ALB', () => {
  const format = findFormat('alb')!
  const line = (type: string, client: string, request: string, agent: string, status = '200'): string =>
    `${type} 2018-07-02T22:23:00.186641Z app/lb/50dc6c495c0c9188 ${client} 10.0.0.1:80 0.000 0.001 0.000 ${status} 200 34 366 "${request}" "${agent}" - - arn "Root=1" "-" "-" 0 2018-07-02T22:22:48.364000Z "forward" "-" "-"`

  test('the documented kinds of entry are read, also with IPv6 clients and broken requests', () => {
    const kinds = ['http', 'https', 'h2', 'ws', 'wss', 'grpcs']
    for (const kind of kinds) {
      assert.equal(
        readLast(format, line(kind, '192.0.2.7:2817', 'GET http://a:80/ HTTP/1.1', '-'))?.address,
        '192.0.2.7',
      )
    }
    const v6 = readLast(
      format,
      line('h2', '[2001:db8::7]:2817', 'GET https://a:443/p?q=1 HTTP/2.0', gptBot, '-'),
    )
    assert.deepEqual(
      v6,
      whole({
        at: '2018-07-02T22:23:00.186Z',
        address: '2001:db8::7',
        url: 'https://a:443/p?q=1',
        status: null,
        userAgent: gptBot,
        bytes: 366,
        durationMs: 1,
      }),
    )
    const broken = readLast(format, line('http', '192.0.2.7:2817', '- http://a:80- ', '-', '400'))
    assert.equal(broken?.method, '')
    assert.equal(
      readLast(format, line('http', '192.0.2.7:1', 'GET / HTTP/1.1', String.raw`a \x22b\x22 \"c\"`))
        ?.userAgent,
      'a "b" "c"',
    )
  })

  test('other AWS logs are malformed', () => {
    assert.equal(readLast(format, line('tcp', '192.0.2.7:2817', 'GET / HTTP/1.1', '-')), null)
    assert.equal(readLast(format, line('http', '192.0.2.7:2817', 'GET / HTTP/1.1', '-').slice(0, 120)), null)
  })
})
