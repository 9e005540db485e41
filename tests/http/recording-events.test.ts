/** POST …/events: the four shapes of a body, what is refused and how it is said, and that a refused batch leaves nothing. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { addAccount, addSiteTo } from '../support/accounts.ts'
import { type Answer, errorOf } from '../support/ask.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'

const server = await startServer({ settings: { PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '1000000' } })
after(() => server.stop())
const account = await addAccount(server.data)
const newSite = async (): Promise<SiteClient> => {
  const site = await addSiteTo(server.data, account.email, 'recording.example')
  return new SiteClient(server, { key: account.key, site })
}
const lines = { 'content-type': 'application/x-ndjson' }
const bot = { type: 'bot', bot_name: 'GPTBot', bot_company: 'OpenAI', page_path: '/a' }
const referral = { type: 'referral', source: 'ChatGPT', page_path: '/b' }
const conversion = { type: 'conversion', event_name: 'signup', page_path: '/c' }
const all = [bot, referral, conversion]

const ever = { start: '1970-01-01', end: '9999-12-31' }
const countOf = async (site: SiteClient): Promise<number> => {
  const { totals } = await site.stats(ever)
  return totals.bot_visits + totals.referrals + totals.conversions
}

function assertRecorded(answer: Answer, count: number): void {
  assert.deepEqual([answer.status, answer.text], [201, JSON.stringify({ recorded: count })])
  assert.match(answer.headers['content-type']!, /^application\/json/)
}

describe('a body', () => {
  test('may be an event object, an array, {"events": […]}, or NDJSON; the answer is 201 {"recorded": n}', async () => {
    const site = await newSite()
    for (const event of all) assertRecorded(await site.post('events', event), 1)
    assertRecorded(await site.post('events', all), 3)
    assertRecorded(await site.post('events', { events: all }), 3)
    assertRecorded(await site.post('events', all.map(event => JSON.stringify(event)).join('\n'), lines), 3)
    assert.deepEqual((await site.stats()).totals, { bot_visits: 4, referrals: 4, conversions: 4 })
  })

  test('of NDJSON may have empty lines, CRLF, and a newline at its end or not', async () => {
    const site = await newSite()
    const one = JSON.stringify(referral)
    assertRecorded(await site.post('events', `\n${one}\r\n\r\n  \n${one}\n`, lines), 2)
    assertRecorded(await site.post('events', `${one}\n${one}`, lines), 2)
    assertRecorded(await site.post('events', '', lines), 0)
  })

  test('may be an empty batch, which records nothing', async () => {
    const site = await newSite()
    assertRecorded(await site.post('events', []), 0)
    assertRecorded(await site.post('events', { events: [] }), 0)
    assert.equal(await countOf(site), 0)
  })

  test('may name its charset, begin with a byte order mark, or come in chunks', async () => {
    const site = await newSite()
    assertRecorded(
      await site.post('events', referral, { 'content-type': 'application/json; charset=utf-8' }),
      1,
    )
    assertRecorded(await site.post('events', referral, { 'content-type': 'APPLICATION/JSON' }), 1)
    assertRecorded(
      await site.post('events', JSON.stringify(referral), {
        'content-type': 'application/x-ndjson;charset=UTF-8',
      }),
      1,
    )
    assertRecorded(await site.post('events', `\ufeff${JSON.stringify(referral)}`), 1)
    const { status } = await sendChunked(site, [
      JSON.stringify(all).slice(0, 40),
      JSON.stringify(all).slice(40),
    ])
    assert.equal(status, 201)
    assert.equal(await countOf(site), 7)
  })
})

/** Without a Content-Length. Resolves with what could be read, also when the rest could not be sent. */
function sendChunked(
  site: SiteClient,
  chunks: readonly string[],
): Promise<{ status: number; code: string | undefined }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${site.url}/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${site.key}`, 'content-type': 'application/json' },
    })
    outgoing.on('error', reject)
    outgoing.on('response', async response => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve({ status: response.statusCode!, code: JSON.parse(text).code })
    })
    for (const chunk of chunks) outgoing.write(chunk)
    outgoing.end()
  })
}

describe('any batch', () => {
  const anyEvent = fc.oneof(
    fc.record({
      type: fc.constant('bot'),
      bot_name: fc.constantFrom('A', 'B'),
      bot_company: fc.constantFrom('X', 'Y'),
    }),
    fc.record({ type: fc.constant('referral'), source: fc.constantFrom('A', 'B', 'C') }),
    fc.record({
      type: fc.constant('conversion'),
      event_name: fc.constantFrom('A', 'B'),
      event_value: fc.constantFrom(null, 1.25, 0.1),
    }),
  )
  const anyPath = fc.webPath().map(path => `/${path.replace(/^\/*/, '')}`)
  const anyCountry = fc.constantFrom('DE', 'US', 'ZZ')
  const anyTime = fc
    .integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 0, 31) })
    .map(ms => new Date(ms).toISOString())

  test('that is taken comes back whole: every field of every event, however the batch was shaped', async () => {
    const anyFacts = fc.record({ page_path: anyPath, country: anyCountry, created_at: anyTime })
    const anySent = fc.tuple(anyEvent, anyFacts).map(([event, facts]) => ({ ...event, ...facts }))
    await fc.assert(
      fc.asyncProperty(
        fc.array(anySent, { maxLength: 40 }),
        fc.constantFrom('array', 'object', 'lines'),
        async (sent, shape) => {
          const site = await newSite()
          const answer =
            shape === 'lines'
              ? await site.post('events', sent.map(event => JSON.stringify(event)).join('\n'), lines)
              : await site.post('events', shape === 'array' ? sent : { events: sent })
          assertRecorded(answer, sent.length)
          const listed = await site.allEvents({ ...ever, limit: 7 })
          const texts = (events: readonly object[]) =>
            events.map(event => JSON.stringify(Object.entries(event).sort())).sort()
          assert.deepEqual(texts(listed.map(({ id, ...rest }) => rest)), texts(sent))
        },
      ),
      { numRuns: 25 },
    )
  })
})

describe('an event', () => {
  const taken: Record<string, object> = {
    'a country in small letters': { ...referral, country: 'de' },
    'a path with query and fragment': { ...referral, page_path: '/x?y=1#z' },
    'any language in its path and name': { ...referral, source: 'アシスタント', page_path: '/путь/😀' },
    'the longest path and name': { ...referral, source: 'x'.repeat(200), page_path: `/${'x'.repeat(2_047)}` },
    'no value': { ...conversion, event_value: null },
    'a negative value': { ...conversion, event_value: -12.5 },
    'the largest value': { ...conversion, event_value: 1e12 },
    'a time in Z': { ...referral, created_at: '2026-01-31T09:30:00Z' },
    'a time with an offset': { ...referral, created_at: '2026-01-31T09:30:00+05:30' },
    'a time with an offset without colon': { ...referral, created_at: '2026-01-31T09:30:00-0800' },
    'a time with an offset in hours': { ...referral, created_at: '2026-01-31T09:30:00+02' },
    'a time without seconds': { ...referral, created_at: '2026-01-31T09:30Z' },
    'a time with nanoseconds': { ...referral, created_at: '2026-01-31T09:30:00.123456789Z' },
    'the first moment of 1970': { ...referral, created_at: '1970-01-01T00:00:00Z' },
    'a time that another zone puts into 1969': { ...referral, created_at: '1970-01-01T05:00:00+05:00' },
    'a time 23 h 59 min ahead': { ...referral, created_at: new Date(Date.now() + 86_340_000).toISOString() },
  }
  for (const [what, event] of Object.entries(taken)) {
    test(`may have ${what}`, async () => {
      assertRecorded(await (await newSite()).post('events', event), 1)
    })
  }

  const without = (event: Record<string, unknown>, field: string) =>
    Object.fromEntries(Object.entries(event).filter(([name]) => name !== field))
  const refused: [what: string, event: unknown, field: string, told: RegExp][] = [
    ['no type', without(bot, 'type'), 'type', /bot, referral, conversion/],
    ['an unknown type', { ...bot, type: 'visit' }, 'type', /bot, referral, conversion.*"visit"/],
    ['a type that is no text', { ...bot, type: ['bot'] }, 'type', /bot, referral, conversion/],
    ...['bot_name', 'bot_company', 'page_path'].map(
      field => [`no ${field}`, without(bot, field), field, /missing/] as [string, unknown, string, RegExp],
    ),
    ['no source', without(referral, 'source'), 'source', /missing/],
    ['no event_name', without(conversion, 'event_name'), 'event_name', /missing/],
    ['an empty name', { ...referral, source: '' }, 'source', /empty/],
    ['a name that is too long', { ...referral, source: 'x'.repeat(201) }, 'source', /200 characters/],
    ['a number for a name', { ...referral, source: 5 }, 'source', /string.*5/],
    ['a name with half a character', { ...referral, source: 'x\ud800' }, 'source', /Unicode/],
    [
      'a path that does not begin with /',
      { ...referral, page_path: 'about' },
      'page_path',
      /begin with \/.*"about"/,
    ],
    ['a URL for a path', { ...referral, page_path: 'https://example.com/' }, 'page_path', /begin with \//],
    ['an empty path', { ...referral, page_path: '' }, 'page_path', /empty/],
    [
      'a path that is too long',
      { ...referral, page_path: `/${'x'.repeat(2_048)}` },
      'page_path',
      /2048 characters/,
    ],
    ['a country of three letters', { ...referral, country: 'DEU' }, 'country', /two letters.*"DEU"/],
    ['a country of no letters', { ...referral, country: '49' }, 'country', /two letters/],
    ['an empty country', { ...referral, country: '' }, 'country', /two letters/],
    ['a value in quotes', { ...conversion, event_value: '49.90' }, 'event_value', /number.*"49\.90"/],
    ['a value beyond the largest', { ...conversion, event_value: 1e12 + 1 }, 'event_value', /1000000000000/],
    [
      'a time without a zone',
      { ...referral, created_at: '2026-01-31T09:30:00' },
      'created_at',
      /ISO 8601.*zone/,
    ],
    ['a day for a time', { ...referral, created_at: '2026-01-31' }, 'created_at', /ISO 8601/],
    ['a time on no real day', { ...referral, created_at: '2026-02-30T09:30:00Z' }, 'created_at', /ISO 8601/],
    ['a time at 24 h', { ...referral, created_at: '2026-01-31T24:00:00Z' }, 'created_at', /ISO 8601/],
    [
      'a time before 1970',
      { ...referral, created_at: '1969-12-31T23:59:59Z' },
      'created_at',
      /ISO 8601|1970/,
    ],
    [
      'a time that its zone puts before 1970',
      { ...referral, created_at: '1970-01-01T00:00:00+01:00' },
      'created_at',
      /1970/,
    ],
    [
      'a time more than 24 h ahead',
      { ...referral, created_at: new Date(Date.now() + 86_460_000).toISOString() },
      'created_at',
      /24 h/,
    ],
    ['a time in seconds', { ...referral, created_at: 1_769_851_800 }, 'created_at', /string/],
    ['an id of its own', { ...referral, id: 7 }, 'id', /no such field/],
    ['a field of another type', { ...referral, bot_name: 'GPTBot' }, 'bot_name', /no such field/],
    ['a field that nobody knows', { ...referral, page_paht: '/' }, 'page_paht', /no such field/],
    [
      'a prototype',
      JSON.parse('{"__proto__":{},"type":"referral","source":"x","page_path":"/"}'),
      '__proto__',
      /no such field/,
    ],
    ['no object at all', 'GPTBot', 'body', /JSON object/],
    ['null for an object', null, 'body', /JSON object/],
    ['an array for an object', [referral], 'body', /JSON object/],
  ]
  for (const [what, event, field, told] of refused) {
    test(`with ${what} is 400 INVALID_EVENT that names ${field}; nothing of its batch is recorded`, async () => {
      const site = await newSite()
      const answer = await site.post('events', JSON.stringify([bot, conversion, event, { also: 'bad' }]))
      assert.deepEqual([answer.status, errorOf(answer).code], [400, 'INVALID_EVENT'], answer.text)
      const { error } = errorOf(answer)
      assert.ok(error.startsWith(`Event 2, ${field}: `), error)
      assert.match(error, told)
      assert.ok(error.length < 400)
      assert.equal(await countOf(site), 0)
    })
  }

  test('is named by its index in NDJSON and in {"events": […]} too', async () => {
    const site = await newSite()
    const texts = [referral, referral, { type: 'x' }].map(event => JSON.stringify(event))
    assert.match(
      errorOf(await site.post('events', `\n${texts.join('\n\n')}\n`, lines)).error,
      /^Event 2, type: /,
    )
    assert.match(errorOf(await site.post('events', `{"events":[${texts}]}`)).error, /^Event 2, type: /)
    assert.match(errorOf(await site.post('events', texts[2])).error, /^Event 0, type: /)
    assert.equal(await countOf(site), 0)
  })
})

describe('400 INVALID_JSON', () => {
  const broken: Record<string, string | Buffer> = {
    'nothing at all': '',
    'half an object': '{"type":"bot"',
    'two objects': `${JSON.stringify(bot)}${JSON.stringify(bot)}`,
    'lines that are said to be JSON': `${JSON.stringify(bot)}\n${JSON.stringify(bot)}`,
    'single quotes': "{'type':'bot'}",
    'a comma at the end': '[{"type":"bot"},]',
    NaN: '[NaN]',
    'bytes that are not UTF-8': Buffer.from('{"type":"referral","source":"\xe9","page_path":"/"}', 'latin1'),
    'compressed bytes': Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
  }
  for (const [what, body] of Object.entries(broken)) {
    test(`answers ${what}`, async () => {
      const answer = await (await newSite()).post('events', body)
      assert.deepEqual([answer.status, errorOf(answer).code], [400, 'INVALID_JSON'], answer.text)
    })
  }

  test('names the line of NDJSON, and nothing of the other lines is recorded', async () => {
    const site = await newSite()
    const answer = await site.post('events', `${JSON.stringify(bot)}\n\n{"type":\n`, lines)
    assert.equal(errorOf(answer).code, 'INVALID_JSON')
    assert.match(errorOf(answer).error, /line 3/)
    assert.equal(await countOf(site), 0)
  })
})

describe('415 UNSUPPORTED_MEDIA_TYPE', () => {
  test('answers every other Content-Type, none at all, and a Content-Encoding', async () => {
    const site = await newSite()
    for (const headers of [
      ...['text/plain', 'text/xml', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'],
      ...['application/jsonp', 'application/json-patch+json', 'json', '', 'application/octet-stream'],
    ]
      .map(type => ({ 'content-type': type }) as Record<string, string>)
      .concat([{ 'content-encoding': 'gzip' }])) {
      const answer = await site.post('events', referral, headers)
      assert.deepEqual(
        [answer.status, errorOf(answer).code],
        [415, 'UNSUPPORTED_MEDIA_TYPE'],
        JSON.stringify(headers),
      )
      assert.match(errorOf(answer).error, /application\/json.*application\/x-ndjson|gzip/)
    }
    assert.equal(await countOf(site), 0)
  })
})

describe('413 PAYLOAD_TOO_LARGE', () => {
  const mebibytes8 = 8 * 2 ** 20
  const padded = (length: number): string => JSON.stringify([referral]).padEnd(length)

  test('10,000 events are taken, one more is refused, in every shape', async () => {
    const site = await newSite()
    const batch = Array.from({ length: 10_001 }, () => referral)
    assertRecorded(await site.post('events', batch.slice(1)), 10_000)
    for (const [body, headers] of [
      [batch, {}],
      [{ events: batch }, {}],
      [batch.map(event => JSON.stringify(event)).join('\n'), lines],
    ] as const) {
      const answer = await site.post('events', body, headers)
      assert.deepEqual([answer.status, errorOf(answer).code], [413, 'PAYLOAD_TOO_LARGE'])
      assert.match(errorOf(answer).error, /10001.*10000/)
    }
    assert.equal(await countOf(site), 10_000)
  })

  test('8 MiB are taken, one byte more is refused, and the sender can read why although he is still sending', async () => {
    const site = await newSite()
    assertRecorded(await site.post('events', padded(mebibytes8)), 1)
    for (const length of [mebibytes8 + 1, 3 * mebibytes8]) {
      for (let n = 0; n < 3; n++) {
        const answer = await site.post('events', padded(length))
        assert.deepEqual([answer.status, errorOf(answer).code], [413, 'PAYLOAD_TOO_LARGE'])
      }
    }
    const inChunks = await sendChunked(
      site,
      Array.from({ length: 20 }, () => padded(2 ** 20)),
    )
    assert.deepEqual(inChunks, { status: 413, code: 'PAYLOAD_TOO_LARGE' })
    assert.equal(await countOf(site), 1)
  })
})

test('a site has at most 10,000 distinct names: one more is 400 INVALID_EVENT, nothing of its batch is recorded, and known names go on', async () => {
  const site = await newSite()
  const named = (source: string) => ({ ...referral, source })
  const names = Array.from({ length: 10_000 }, (_, i) => named(`assistant ${i}`))
  assertRecorded(await site.post('events', names), 10_000)
  for (const batch of [[bot], [names[0], named('one more')]]) {
    const answer = await site.post('events', batch)
    assert.deepEqual([answer.status, errorOf(answer).code], [400, 'INVALID_EVENT'])
    assert.match(errorOf(answer).error, /10000 distinct names/)
  }
  assertRecorded(await site.post('events', names.slice(0, 2)), 2)
  assertRecorded(await (await newSite()).post('events', bot), 1)
  assert.equal(await countOf(site), 10_002)
})

test('a sender that leaves in the middle of a body records nothing and is no fault of the server', async () => {
  const site = await newSite()
  const socket = connect(server.port, '127.0.0.1')
  const path = new URL(site.url).pathname
  socket.write(
    `POST ${path}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${site.key}\r\nContent-Type: application/x-ndjson\r\nContent-Length: 1000\r\n\r\n${JSON.stringify(referral)}\n`,
  )
  await setTimeout(50)
  socket.destroy()
  await setTimeout(700)
  assert.equal(await countOf(site), 0)
  assert.deepEqual(
    server.log().filter(({ level }) => Number(level) >= 50),
    [],
  )
})
