/** Plain questions for reports are answered before the framework sees them: nobody may be able to tell. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { encodeCursor } from '../../src/domain/cursor.ts'
import { newApiKey } from '../../src/domain/ids.ts'
import { addAccount, addKeyTo, revokeKeyOf } from '../support/accounts.ts'
import { type Answer, ask } from '../support/ask.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'

const server = await startServer({
  settings: {
    PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '1000000',
    PUGMARK_PLAN_FREE_REQUESTS_PER_MINUTE: '1000000',
  },
})
after(() => server.stop())
const [own, foreign] = [await addAccount(server.data), await addAccount(server.data)]
const free = await addAccount(server.data, { plan: 'free' })
await new SiteClient(server, own).record([
  {
    type: 'bot',
    bot_name: 'GPTBot',
    bot_company: 'OpenAI',
    page_path: '/',
    created_at: '2026-03-01T10:00:00Z',
  },
  { type: 'referral', source: 'Ünïcode \u2028', page_path: '/', created_at: '2026-03-02T10:00:00Z' },
])
const { key: writeKey } = await addKeyTo(server.data, own.email, ['write'])

const day = fc.constantFrom(
  '2026-03-01',
  '2026-03-02',
  '1970-01-01',
  '9999-12-31',
  '2026-02-30',
  '',
  '2026%2D03%2D01',
  '+',
)
const parameter = fc.oneof(
  fc.tuple(fc.constantFrom('start', 'end'), day).map(parts => parts.join('=')),
  fc.constantFrom(
    'granularity=day',
    'granularity=hour',
    'granularity=Hour',
    'type=bot',
    'type=Bot',
    'limit=1',
    'limit=0',
    `cursor=${encodeCursor({ createdAt: Date.UTC(2026, 2, 2), id: 1 })}`,
    'cursor=none',
    'granularity',
    '=',
    '',
    'x=1',
    'x=%zz',
    'constructor=1',
    '__proto__=1',
    'start=2026-03-01=',
    'a=b;c=d',
    'x=#y',
  ),
)
const query = fc.array(parameter, { maxLength: 4 }).chain(parts => {
  const text = parts.join('&')
  return fc.constantFrom(`?${text}`, parts.length > 0 ? `?${text}` : '', '?start=2026-03-01&end=2026-03-02')
})
const site = fc.constantFrom(
  own.site.id,
  own.site.id,
  own.site.id,
  foreign.site.id,
  free.site.id,
  'site_absent',
  '',
  '%73ite',
  `${own.site.id}/x`,
)
const operation = fc.constantFrom(
  'stats',
  'stats',
  'timeseries',
  'timeseries',
  'events',
  'stats/',
  'Stats',
  'events',
  'nothing',
  '',
)
const key = fc.constantFrom(own.key, own.key, own.key, free.key, writeKey, newApiKey(), 'no key', undefined)
const question = fc.record({
  path: fc.tuple(site, operation, query).map(([id, name, rest]) => `/api/v1/sites/${id}/${name}${rest}`),
  key,
  method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS'),
  headers: fc.constantFrom({}, {}, { 'if-none-match': '*' }, { 'content-length': '0' }, { host: '' }),
})

/** An answer without what differs between any two requests. */
function comparable({ status, headers, text }: Answer) {
  const { date, 'x-request-id': id, 'x-ratelimit-remaining': remaining, ...rest } = headers
  assert.ok(date !== undefined && id !== undefined)
  return { status, headers: rest, text: text.replace(id as string, ''), counted: remaining !== undefined }
}

test('any question has the same answer by both ways, and counts as one request', async () => {
  await fc.assert(
    fc.asyncProperty(question, async ({ path, headers, ...rest }) => {
      const answers = []
      // Who names an encoding, be it none, goes the framework's way. The third answer may be one that was kept.
      for (const encoding of [{}, { 'accept-encoding': 'identity' }, {}])
        answers.push(await ask(server.url + path, { ...rest, headers: { ...headers, ...encoding } }))
      const [first, second, third] = answers.map(comparable)
      assert.deepEqual(first, second)
      assert.deepEqual(third, second)
      const remaining = answers.map(answer => answer.headers['x-ratelimit-remaining'])
      if (remaining[0] === undefined) return
      assert.deepEqual(
        remaining.map(Number),
        [0, 1, 2].map(i => Number(remaining[0]) - i),
      )
    }),
    { numRuns: 300 },
  )
})

test('each is one line in the log, with the same members', async () => {
  const client = new SiteClient(server, own)
  const lines = []
  for (const headers of [{}, { 'accept-encoding': 'identity' }]) {
    const answer = await client.ask('timeseries?granularity=hour&start=2026-03-01', { headers })
    const ofAnswer = ({ requestId }: Record<string, unknown>) => requestId === answer.headers['x-request-id']
    const { requestId, time, ms, ...line } = await server.logged(ofAnswer)
    assert.ok(typeof ms === 'number' && ms >= 0)
    assert.equal(server.log().filter(ofAnswer).length, 1)
    lines.push(line)
  }
  assert.deepEqual(lines[0], lines[1])
})

test('an answer that is kept is given to nobody who may not see it', async () => {
  const client = new SiteClient(server, own)
  const reader = await addKeyTo(server.data, own.email, ['read'])
  const place = 'stats?start=2026-03-01&end=2026-03-02'
  for (let i = 0; i < 3; i++) assert.equal((await client.ask(place, { key: reader.key })).status, 200)
  assert.equal((await client.ask(place, { key: foreign.key })).status, 403)
  assert.equal((await client.ask(place, { key: writeKey })).status, 403)
  await revokeKeyOf(server.data, reader.id)
  assert.equal((await client.ask(place, { key: reader.key })).status, 401)
  assert.equal((await client.ask(place)).status, 200)
})

test('a question that fails while it waits for the storage has its answer, and the server goes on', async () => {
  const account = await addAccount(server.data)
  const client = new SiteClient(server, account)
  await client.record([
    {
      type: 'bot',
      bot_name: 'GPTBot',
      bot_company: 'OpenAI',
      page_path: '/',
      created_at: '2026-03-01T10:00:00Z',
    },
  ])
  const database = new DatabaseSync(join(server.data, 'pugmark.db'))
  database.exec("CREATE TRIGGER refusing BEFORE INSERT ON day BEGIN SELECT RAISE(ABORT, 'refused'); END")
  const range = 'start=2026-03-01&end=2026-03-02'
  assert.equal((await client.ask(`events?${range}`)).status, 500)
  assert.equal((await client.ask(`stats?${range}`)).status, 200, 'counts wait for nothing')
  database.exec('DROP TRIGGER refusing')
  database.close()
  assert.equal((await client.ask(`events?${range}`)).status, 200)
})
