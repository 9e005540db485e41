/** Every error code can be reached, has its status and the one shape, and shows nothing of the inside. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { type ErrorCode, errorCatalogue } from '../../src/domain/errors.ts'
import { newApiKey } from '../../src/domain/ids.ts'
import { addAccount, addKeyTo, removeAccount } from '../support/accounts.ts'
import { type Answer, ask, errorOf, type Question } from '../support/ask.ts'
import { startProcess } from '../support/child-processes.ts'
import { environmentWith, mainFile, root } from '../support/program.ts'
import { sendRaw } from '../support/raw-request.ts'
import { startServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const server = await startServer({
  settings: {
    PUGMARK_PLAN_FREE_REQUESTS_PER_MINUTE: '3',
    PUGMARK_PLAN_FREE_EVENTS_PER_MONTH: '0',
    PUGMARK_SUPPORT_EMAIL: 'help@pugmark.example',
  },
})
after(() => server.stop())
const pro = await addAccount(server.data)
const free = await addAccount(server.data, { plan: 'free' })
const gone = await addAccount(server.data)
await removeAccount(server.data, gone.email)
const reader = await addKeyTo(server.data, pro.email, ['read'])

const at = (place: string, question: Question = {}): Promise<Answer> => ask(server.url + place, question)
const ofSite = (name: string, siteId = pro.site.id): string => `/api/v1/sites/${siteId}/${name}`
const post = (body: unknown, question: Question = {}): Promise<Answer> =>
  at(ofSite('events'), { key: pro.key, method: 'POST', body, ...question })
const visit = { type: 'referral', source: 'ChatGPT', page_path: '/' }

/** How a caller gets each error. */
const ways: Record<Exclude<ErrorCode, 'SERVER_ERROR' | 'OVERLOADED'>, () => Promise<Answer>> = {
  MISSING_KEY: () => at('/api/v1/sites'),
  INVALID_KEY: () => at('/api/v1/sites', { key: newApiKey() }),
  USER_NOT_FOUND: () => at('/api/v1/sites', { key: gone.key }),
  SITE_NOT_FOUND: () => at(ofSite('stats', free.site.id), { key: pro.key }),
  PLAN_REQUIRED: () => at(`${ofSite('timeseries', free.site.id)}?granularity=hour`, { key: free.key }),
  INSUFFICIENT_SCOPE: () => post([], { key: reader.key }),
  MISSING_SITE_ID: () => at('/api/v1/sites//stats', { key: pro.key }),
  INVALID_DATE_RANGE: () => at(`${ofSite('stats')}?start=2026-02-30`, { key: pro.key }),
  INVALID_PARAMETER: () => at(`${ofSite('events')}?limit=0`, { key: pro.key }),
  INVALID_JSON: () => post('{"type":'),
  INVALID_EVENT: () => post({ type: 'visit' }),
  NOT_FOUND: () => at('/api/v1/site', { key: pro.key }),
  METHOD_NOT_ALLOWED: () => at('/api/v1/sites', { key: pro.key, method: 'DELETE' }),
  PAYLOAD_TOO_LARGE: () => post(Array.from({ length: 10_001 }, () => visit)),
  UNSUPPORTED_MEDIA_TYPE: () => post('<xml/>', { headers: { 'content-type': 'text/xml' } }),
  IDEMPOTENCY_MISMATCH: async () => {
    const headers = { 'idempotency-key': 'once' }
    await post([], { headers })
    return post(' []', { headers })
  },
  RATE_LIMITED: async () => {
    for (let n = 0; n < 3; n++) await at('/api/v1/sites', { key: free.key })
    return at('/api/v1/sites', { key: free.key })
  },
  LIMIT_EXCEEDED: () => at(ofSite('events', free.site.id), { key: free.key, method: 'POST', body: visit }),
}

/** What every error is like, whatever the code. */
function assertIsError(answer: Answer, code: ErrorCode): void {
  const body = errorOf(answer)
  assert.equal(body.code, code, answer.text)
  assert.equal(answer.status, errorCatalogue[code].status)
  assert.match(answer.headers['content-type']!, /^application\/json\b/)
  assert.match(answer.headers['x-request-id'] as string, /^[\w-]{8,}$/)
  assert.equal(answer.status === 429, 'retry_after' in body, 'retry_after is there with 429, and only there')
  assert.equal(answer.status === 401, 'www-authenticate' in answer.headers)
  if (body.retry_after !== undefined) {
    assert.ok(Number.isInteger(body.retry_after) && body.retry_after >= 1)
    assert.equal(answer.headers['retry-after'], String(body.retry_after))
  }
}

describe('the code', () => {
  for (const [code, way] of Object.entries(ways) as [ErrorCode, () => Promise<Answer>][]) {
    test(`${code} comes with status ${errorCatalogue[code].status} and the body {"error", "code"}`, async () => {
      assertIsError(await way(), code)
    })
  }

  test('of every error in the catalogue is among those above, or SERVER_ERROR, or OVERLOADED', () => {
    const tried = [...Object.keys(ways), 'SERVER_ERROR', 'OVERLOADED'].sort()
    assert.deepEqual(tried, Object.keys(errorCatalogue).sort())
  })
})

describe('a message', () => {
  const messageOf = async (place: string): Promise<string> => errorOf(await at(place, { key: pro.key })).error

  test('names the parameter, the value that it got and what it accepts', async () => {
    const examples: [query: string, ...told: (string | RegExp)[]][] = [
      ['stats?start=2026-02-30', 'start', '2026-02-30', 'YYYY-MM-DD'],
      ['stats?end=tomorrow', 'end', 'tomorrow', 'YYYY-MM-DD'],
      ['stats?start=2026-02-02&end=2026-02-01', 'start', '2026-02-02', 'end', '2026-02-01'],
      ['timeseries?granularity=week', 'granularity', 'week', /day.*hour/],
      ['events?type=visit', 'type', 'visit', /bot.*referral.*conversion/],
      ['events?limit=1001', 'limit', '1001', /1 to 1000/],
      ['events?cursor=abc', 'cursor', 'abc', 'next_cursor'],
    ]
    for (const [query, ...told] of examples) {
      const message = await messageOf(ofSite(query))
      for (const part of told)
        assert.ok(
          typeof part === 'string' ? message.includes(part) : part.test(message),
          `${query}: ${message}`,
        )
    }
  })

  test('about a plan says whom to ask: the support address when the operator has set one', async () => {
    const other = await addAccount(server.data, { plan: 'free' })
    const place = `${ofSite('timeseries', other.site.id)}?granularity=hour`
    const { error } = errorOf(await at(place, { key: other.key }))
    assert.match(error, /help@pugmark\.example/)
    assert.match(error, /Pro/)
  })

  test('stays short, whatever a stranger sends', async () => {
    const long = 'x'.repeat(5_000)
    for (const place of [
      `/${long}`,
      ofSite(`stats?start=${long}`),
      ofSite(`events?type=${long}`),
      ofSite(`events?cursor=${long}`),
    ])
      assert.ok((await messageOf(place)).length < 400, place.slice(0, 80))
  })
})

describe('405 METHOD_NOT_ALLOWED', () => {
  const odd = ['PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE', 'QUERY', 'REPORT', 'M-SEARCH']

  test('answers every other method of a path, with the right ones in Allow', async () => {
    for (const place of [
      '/api/v1/sites',
      ofSite('stats'),
      ofSite('timeseries'),
      '/healthz',
      '/readyz',
      '/openapi.json',
    ]) {
      for (const method of [...odd, 'POST']) {
        const answer = await at(place, { method })
        assertIsError(answer, 'METHOD_NOT_ALLOWED')
        assert.match(answer.headers.allow!, /^GET, HEAD\b/, `${method} ${place}`)
      }
    }
    for (const method of [...odd, 'GET']) {
      const answer = await at(ofSite('hits'), { method })
      assertIsError(answer, 'METHOD_NOT_ALLOWED')
      assert.equal(answer.headers.allow, 'POST, OPTIONS')
    }
  })
})

describe('404 NOT_FOUND', () => {
  test('answers an unknown path for every method, whatever the body says it is', async () => {
    for (const [method, type, body] of [
      ['GET', undefined, undefined],
      ['POST', 'application/json', '{broken'],
      ['POST', 'application/json', ''],
      ['PUT', 'text/xml', '<a/>'],
      ['DELETE', 'multipart/form-data', 'x'],
      ['PROPFIND', undefined, undefined],
    ] as const) {
      const headers = type === undefined ? {} : { 'content-type': type }
      assertIsError(await at('/nothing/here', { method, headers, body }), 'NOT_FOUND')
    }
  })

  test('answers paths that are no valid URL', async () => {
    for (const place of [
      '/%',
      '/%zz',
      '/api/v1/sites/%E0%A4%A/stats',
      `/api/v1/sites/${'a'.repeat(2_500)}/stats`,
    ])
      assertIsError(await at(place, { key: pro.key }), 'NOT_FOUND')
  })
})

describe('X-Request-Id', () => {
  test('is on every response, and every response has its own', async () => {
    const answers = await Promise.all([
      ...['/', '/healthz', '/readyz', '/docs', '/openapi.json', '/%zz', '/api/v1/sites'].map(place =>
        at(place),
      ),
      ...['GET', 'HEAD', 'OPTIONS', 'DELETE'].map(method => at('/api/v1/sites', { method, key: pro.key })),
      post([]),
      post(visit),
      post('{'),
    ])
    const ids = answers.map(({ headers }) => headers['x-request-id'])
    assert.equal(
      ids.every(id => typeof id === 'string' && id.length >= 8),
      true,
    )
    assert.equal(new Set(ids).size, answers.length)
  })

  test('is on 304 too', async () => {
    const { headers } = await at(ofSite('stats'), { key: pro.key })
    const unchanged = await at(ofSite('stats'), { key: pro.key, headers: { 'if-none-match': headers.etag } })
    assert.equal(unchanged.status, 304)
    assert.match(unchanged.headers['x-request-id'] as string, /^[\w-]{8,}$/)
  })

  test('is never taken from the request', async () => {
    const answer = await at('/healthz', { headers: { 'x-request-id': 'mine', 'request-id': 'mine' } })
    assert.notEqual(answer.headers['x-request-id'], 'mine')
  })

  const broken: Record<string, string> = {
    'words that are no request': 'hello there\r\n\r\n',
    'an unknown method': 'BREW /api/v1/sites HTTP/1.1\r\nHost: x\r\n\r\n',
    'a header without a colon': 'GET /healthz HTTP/1.1\r\nHost: x\r\nBroken\r\n\r\n',
    'headers of 20 KiB': `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`,
    'no Host': 'GET /healthz HTTP/1.1\r\n\r\n',
    'two lengths': 'POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd',
    'a length and chunks':
      'POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  }
  for (const [what, bytes] of Object.entries(broken)) {
    test(`is on the 400 for ${what}, which has the one shape of errors`, async () => {
      const received = await sendRaw(server.port, bytes)
      const [head = '', body = ''] = received.split('\r\n\r\n')
      assert.match(head, /^HTTP\/1\.1 400 /)
      assert.match(head, /^x-request-id: [\w-]{8,}\r?$/im)
      assert.match(head, /^content-type: application\/json/im)
      const { error, code } = JSON.parse(body) as Record<string, unknown>
      assert.equal(code, 'INVALID_PARAMETER')
      assert.equal(typeof error, 'string')
    })
  }

  test('is on the answer to an expectation that the server does not know', async () => {
    const { status, headers } = await at('/healthz', { headers: { expect: 'tea' } })
    assert.equal(status, 200)
    assert.match(headers['x-request-id'] as string, /^[\w-]{8,}$/)
  })

  test('a request of HTTP/1.0 without Host is answered', async () => {
    assert.match(await sendRaw(server.port, 'GET /healthz HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /)
  })
})

describe('a fault inside:', () => {
  test('500 SERVER_ERROR shows a request id and nothing of the inside; the log tells the rest under that id', async () => {
    const faulty = await startServer()
    try {
      const { site, key } = await addAccount(faulty.data)
      const database = new DatabaseSync(path.join(faulty.data, 'pugmark.db'))
      database.exec(
        'DROP VIEW events; DROP VIEW daily; DROP TABLE by_day; DROP TABLE by_hour; DROP TABLE event',
      )
      database.close()
      for (const name of ['stats', 'timeseries', 'events']) {
        const answer = await ask(`${faulty.url}/api/v1/sites/${site.id}/${name}`, { key })
        assertIsError(answer, 'SERVER_ERROR')
        const id = answer.headers['x-request-id'] as string
        const { error } = errorOf(answer)
        assert.ok(error.includes(id))
        assert.doesNotMatch(error, /sql|table|chunk|day\b|stack|\.ts|\/|node/i)
        await faulty.logged(line => line.requestId === id && JSON.stringify(line).includes('no such table'))
      }
      const body = { type: 'referral', source: 'ChatGPT', page_path: '/' }
      const refused = await ask(`${faulty.url}/api/v1/sites/${site.id}/events`, { method: 'POST', key, body })
      assertIsError(refused, 'SERVER_ERROR')
      assert.equal((await ask(`${faulty.url}/api/v1/sites`, { key })).status, 200, 'the rest goes on')
    } finally {
      await faulty.stop()
    }
  })

  test('a fault in the middle of a streamed answer breaks it off: nobody takes half a series for a whole one', async () => {
    const faulty = await startServer()
    try {
      const { site, key } = await addAccount(faulty.data)
      const place = `${faulty.url}/api/v1/sites/${site.id}`
      const body = ['1975', '2025'].map(year => ({ ...visit, created_at: `${year}-06-01T00:00:00Z` }))
      assert.equal((await ask(`${place}/events`, { method: 'POST', key, body })).status, 201)
      const century = `${place}/timeseries?granularity=hour&start=1970-01-01&end=2069-12-31`
      const [response] = (await once(
        request(century, { headers: { authorization: `Bearer ${key}` } }).end(),
        'response',
      )) as [IncomingMessage]
      assert.equal(response.statusCode, 200)
      await once(response, 'readable')
      const database = new DatabaseSync(path.join(faulty.data, 'pugmark.db'))
      database.exec('DROP TABLE by_hour')
      database.close()
      await assert.rejects(async () => {
        for await (const _ of response);
      }, /aborted|ECONNRESET/)
      await faulty.logged(line => JSON.stringify(line).includes('no such table'))
    } finally {
      await faulty.stop()
    }
  })

  test('a disk that takes no more is 503 OVERLOADED with Retry-After, nothing is recorded, and reads go on', async () => {
    const data = temporaryFolder()
    const { site, key } = await addAccount(data)
    // A limit on the size of files is to SQLite what a full disk is: the next write fails.
    const { child, exit } = startProcess(
      'sh',
      [
        '-c',
        'ulimit -f 700; exec "$0" "$@"',
        process.execPath,
        mainFile,
        'serve',
        '--port',
        '0',
        '--data',
        data,
      ],
      { cwd: root, env: environmentWith({}), stdio: ['ignore', 'pipe', 'ignore'] },
    )
    const url = await new Promise<string>(resolve =>
      child.stdout!.once('data', text => resolve(/http:\S+/.exec(String(text))![0])),
    )
    const place = `${url}/api/v1/sites/${site.id}`
    let recorded = 0
    let refused: Answer | null = null
    for (let n = 0; n < 60 && !refused; n++) {
      const body = Array.from({ length: 500 }, (_, i) => ({
        ...visit,
        page_path: `/${n}/${i}/${'long'.repeat(20)}`,
      }))
      const answer = await ask(`${place}/events`, { method: 'POST', key, body })
      if (answer.status === 201) recorded += body.length
      else refused = answer
    }
    assert.ok(refused, 'the limit was reached')
    assertIsError(refused, 'OVERLOADED')
    assert.match(refused.headers['retry-after']!, /^[1-9]\d*$/)
    const stats = (await ask(`${place}/stats`, { key })).json<{ totals: { referrals: number } }>()
    assert.equal(stats.totals.referrals, recorded)
    child.kill('SIGKILL')
    await exit
  })
})
