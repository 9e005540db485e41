/** W3C extended logs: what CloudFront and IIS encode, and columns that change. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readLast, whole } from '../../../../tests/support/read-line.ts'
import { findFormat } from '../formats.ts'

describe('CloudFront', () => {
  const format = findFormat('cloudfront')!
  const fields =
    '#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query'
  const line = (path: string, referrer: string, agent: string, query: string): string =>
    `${fields}\n2026-10-10\t13:55:36\tFRA1\t392\t2001:db8::7\tGET\td1.cloudfront.net\t${path}\t200\t${referrer}\t${agent}\t${query}`

  test('user agent, referrer and URL lose the encoding that CloudFront puts on top', () => {
    assert.deepEqual(
      readLast(
        format,
        line(
          '/a%2520b',
          'https://chatgpt.com/?q=%2522x%2522',
          'GPTBot/1.3;%20%2Bhttps',
          'utm_source=chatgpt.com',
        ),
      ),
      whole({
        at: '2026-10-10T13:55:36.000Z',
        address: '2001:db8::7',
        url: '/a%20b?utm_source=chatgpt.com',
        referrer: 'https://chatgpt.com/?q="x"',
        userAgent: 'GPTBot/1.3; +https',
        bytes: 392,
      }),
    )
    assert.equal(
      readLast(format, line('/', '-', 'Mozilla/5.0%2520(X11)', '-'))?.userAgent,
      'Mozilla/5.0 (X11)',
    )
    assert.equal(readLast(format, line('/', '-', 'broken%E0%A4%A', '-'))?.userAgent, 'broken%E0%A4%A')
  })

  test('a line before any #Fields, or with another number of columns, is malformed', () => {
    const [, entry = ''] = line('/', '-', '-', '-').split('\n')
    assert.equal(readLast(format, entry), null)
    assert.equal(readLast(format, `${fields}\n${entry}\tmore`), null)
  })
})

describe('IIS', () => {
  const format = findFormat('iis')!

  test('columns follow the last #Fields, which may change in the middle', () => {
    const log = [
      '#Fields: date time cs-method cs-uri-stem c-ip cs(User-Agent) sc-status',
      '2026-10-10 13:55:36 GET /old 192.0.2.1 old+agent 200',
      '#Software: Microsoft Internet Information Services 10.0',
      '#Fields: date time c-ip cs-method cs-uri-stem cs-uri-query sc-status cs(Referer) cs(User-Agent)',
      '2026-10-10 13:55:37 192.0.2.2 GET /new a=b 404 https://claude.ai/ new+agent+C+++',
    ].join('\n')
    assert.deepEqual(
      readLast(format, log),
      whole({
        at: '2026-10-10T13:55:37.000Z',
        address: '192.0.2.2',
        url: '/new?a=b',
        status: 404,
        referrer: 'https://claude.ai/',
        userAgent: 'new agent C + ',
      }),
    )
  })

  test('the context of a parser lets another go on in the middle', () => {
    const first = format.open(null)
    first.directive('#Software: x')
    first.directive('#Fields: date time cs-method cs-uri-stem')
    const second = format.open(first.context())
    assert.equal(second.parse('2026-10-10 13:55:36 GET /'), true)
    assert.equal(second.line.url, '/')
    assert.equal(format.open(null).parse('2026-10-10 13:55:36 GET /'), false)
  })

  test('columns that do not tell when and what make every line malformed until better ones come', () => {
    assert.equal(readLast(format, '#Fields: time cs-method cs-uri-stem\n13:55:36 GET /'), null)
    assert.notEqual(
      readLast(format, '#Fields: time\n#Fields: date time cs-method cs-uri-stem\n2026-10-10 13:55:36 GET /'),
      null,
    )
  })
})
