/** Every format: recognised by itself, and its vendor's documented lines read field by field. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { detectFormat, findFormat, formatNames, holdsLines, logFormats } from './formats.ts'
import { type LogFormat, rawLine } from './log-line.ts'

interface Expected {
  at: string
  address?: string
  country?: string
  method?: string
  url: string
  status?: number | null
  referrer?: string
  userAgent?: string
}

const gptBot = 'Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)'

/** What each format's own sample says. */
const samples: Record<string, Expected> = {
  combined: {
    at: '2000-10-10T20:55:36.000Z',
    address: '127.0.0.1',
    url: '/apache_pb.gif',
    referrer: 'http://www.example.com/start.html',
    userAgent: 'Mozilla/4.08 [en] (Win98; I ;Nav)',
  },
  common: { at: '2000-10-10T20:55:36.000Z', address: '127.0.0.1', url: '/apache_pb.gif' },
  'vhost-combined': {
    at: '2000-10-10T20:55:36.000Z',
    address: '192.0.2.7',
    url: '/start.html',
    userAgent: 'Mozilla/4.08 [en] (Win98; I ;Nav)',
  },
  'nginx-json': {
    at: '2026-10-10T11:55:36.000Z',
    address: '192.0.2.7',
    url: '/start.html?page=2',
    userAgent: gptBot,
  },
  'caddy-json': { at: '2022-03-09T21:30:01.524Z', address: '192.0.2.7', url: '/', userAgent: 'curl/7.82.0' },
  cloudflare: {
    at: '2026-10-10T13:55:36.123Z',
    address: '192.0.2.7',
    country: 'de',
    url: '/start.html?page=2',
    userAgent: gptBot,
  },
  cloudfront: {
    at: '2019-12-04T21:02:31.000Z',
    address: '192.0.2.24',
    url: '/index.html',
    userAgent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/78.0.3904.108 Safari/537.36',
  },
  alb: {
    at: '2018-07-02T22:23:00.186Z',
    address: '192.168.131.39',
    url: 'https://www.example.com:443/',
    userAgent: 'curl/7.46.0',
  },
  iis: { at: '2026-10-10T13:55:36.000Z', address: '192.0.2.7', url: '/start.html?page=2', userAgent: gptBot },
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
    assert.equal(
      read({ msec: '1791640536.123', request_uri: '/', request_method: 'HEAD' })?.at,
      samples.cloudflare!.at,
    )
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
    assert.deepEqual(line, whole({ at: samples.cloudflare!.at, method: '', url: '', status: null }))
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
    const first = format.open('', null)
    first.directive('#Software: x')
    first.directive('#Fields: date time cs-method cs-uri-stem')
    const second = format.open('', first.context())
    assert.equal(second.parse(rawLine('2026-10-10 13:55:36 GET /')), true)
    assert.equal(second.line.url, '/')
    assert.equal(format.open('', null).parse(rawLine('2026-10-10 13:55:36 GET /')), false)
  })

  test('columns that do not tell when and what make every line malformed until better ones come', () => {
    assert.equal(readLast(format, '#Fields: time cs-method cs-uri-stem\n13:55:36 GET /'), null)
    assert.notEqual(
      readLast(format, '#Fields: time\n#Fields: date time cs-method cs-uri-stem\n2026-10-10 13:55:36 GET /'),
      null,
    )
  })
})

/** The last line of a log, after the `#` lines and other lines before it. */
function readLast(format: LogFormat, log: string): Expected | null {
  const parser = format.open('', null)
  let parsed = false
  for (const text of log.split('\n')) {
    if (text.startsWith('#')) parser.directive(text)
    else parsed = parser.parse(rawLine(text))
  }
  if (!parsed) return null
  const { timeMs, address, country, method, url, status, referrer, userAgent } = parser.line
  return { at: new Date(timeMs).toISOString(), address, country, method, url, status, referrer, userAgent }
}

const whole = (expected: Expected): Expected => ({
  address: '',
  country: '',
  method: 'GET',
  status: 200,
  referrer: '',
  userAgent: '',
  ...expected,
})
