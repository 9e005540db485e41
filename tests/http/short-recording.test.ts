/** Small batches are recorded before the framework sees them: nobody may be able to tell, neither from the answer nor from what is stored. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { newApiKey } from '../../src/domain/ids.ts'
import { addAccount, addKeyTo } from '../support/accounts.ts'
import { anyText } from '../support/any-text.ts'
import { type Answer, ask, type Question } from '../support/ask.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'

const server = await startServer({ settings: { PUGMARK_PLAN_FREE_EVENTS_PER_MONTH: '3' } })
after(() => server.stop())

/** What the one is sent by the short way, the other is sent by the framework's. */
type Twins = readonly [Twin, Twin]
type Twin = Awaited<ReturnType<typeof addAccount>> & { readKey: string }
async function addTwins(plan: 'free' | 'pro'): Promise<Twins> {
  const add = async (): Promise<Twin> => {
    const account = await addAccount(server.data, { plan })
    return { ...account, readKey: (await addKeyTo(server.data, account.email, ['read'])).key }
  }
  return [await add(), await add()]
}
const [pro, free] = [await addTwins('pro'), await addTwins('free')]
const stranger = await addAccount(server.data)

const time = '2026-03-01T10:00:00Z'
const bot = {
  type: 'bot',
  bot_name: 'GPTBot',
  bot_company: 'OpenAI',
  page_path: '/?q',
  created_at: time,
}
const event = fc.oneof(
  fc.record({
    type: fc.constant('bot'),
    bot_name: anyText(),
    bot_company: anyText(),
    page_path: fc.constant('/x'),
  }),
  fc.record({
    type: fc.constant('referral'),
    source: anyText(),
    page_path: anyText(),
    created_at: fc.constant(time),
  }),
  fc.constantFrom<unknown>(
    bot,
    { ...bot, country: 'de' },
    { ...bot, country: 'deu' },
    { ...bot, created_at: '2026-03-01' },
    { type: 'conversion', event_name: 'order', event_value: 9.99, source: 'ChatGPT', page_path: '/' },
    { type: 'conversion', event_name: 'order', event_value: null, page_path: '/' },
    { type: 'conversion', event_name: '\ud800', page_path: '/' },
    { url: '/a?b', user_agent: 'Mozilla/5.0', timestamp: time },
    { url: '/a.css', user_agent: 'GPTBot/1.4', status: 404 },
    null,
    7,
  ),
)
const hit = { url: '/a?b', user_agent: 'GPTBot/1.4', ip: '203.0.113.7', timestamp: time }
const body = fc.oneof(
  fc.constantFrom<unknown>(bot, hit),
  event,
  fc.array(event, { maxLength: 4 }),
  fc.array(event, { maxLength: 4 }).map(events => ({ events })),
  fc.constantFrom<unknown>(
    ...['{', '', ' ', '\ufeff{}', JSON.stringify(bot).padEnd(9_000), Buffer.from([0x22, 0xff, 0x22])],
    Array(40).fill(bot),
  ),
)
const mostly = <Value>(usual: Value, ...others: Value[]): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) })
const question = fc.record({
  twins: fc.constantFrom(pro, free),
  siteOf: mostly<(twin: Twin) => string>(
    ({ site }) => site.id,
    () => stranger.site.id,
    () => '',
    () => 'site_absent',
  ),
  operation: fc.constantFrom('events', 'events', 'hits', 'hits', 'events?x=1', 'hits/', 'stats'),
  keyOf: mostly<(twin: Twin) => string | undefined>(
    ({ key }) => key,
    ({ readKey }) => readKey,
    () => newApiKey(),
    () => undefined,
  ),
  method: mostly('POST', 'PUT'),
  headers: mostly<Question['headers']>(
    {},
    { 'content-type': 'application/json; charset=utf-8' },
    { 'content-type': 'application/x-ndjson' },
    { 'content-type': 'text/plain' },
    { 'content-type': undefined },
    { 'content-encoding': 'gzip' },
    { 'content-length': undefined },
    { 'idempotency-key': 'bad key' },
    { host: '' },
  ),
  body,
})

/** An answer without what differs between any two requests. */
function comparable({ status, headers, text }: Answer, siteId: string) {
  const { date, 'x-request-id': id, 'retry-after': wait, ...rest } = headers
  assert.ok(date !== undefined && id !== undefined)
  const words = text
    .replace(id as string, '')
    .replace(siteId, '')
    .replace(/"retry_after":\d+/, '')
  return { status, headers: rest, text: words, waits: wait !== undefined }
}

async function storedOf(twin: Twin): Promise<unknown> {
  const client = new SiteClient(server, twin)
  // Times and pauses differ between any two requests.
  const health = (await client.ask('health')).text.replaceAll(
    /"\d{4}-\d\d-\d\dT[^"]*"|"longest_pause_seconds":\d+/g,
    '""',
  )
  const stored = (await client.allEvents({ start: '2020-01-01', end: '2099-01-01' })).map(
    ({ id: _, created_at, ...event }) => ({ ...event, isSent: created_at === time }),
  )
  return { health, stored: stored.map(event => JSON.stringify(event)).sort() }
}

test('any request has the same answer by both ways, and records and counts the same', async () => {
  const given = new Set<number>()
  await fc.assert(
    fc.asyncProperty(question, async ({ twins, siteOf, operation, keyOf, headers, ...rest }) => {
      const answers = []
      // Who names an encoding, be it none, goes the framework's way.
      for (const [i, encoding] of [{}, { 'content-encoding': 'identity' }].entries()) {
        const [twin, key] = [twins[i]!, keyOf(twins[i]!)]
        const path = `/api/v1/sites/${siteOf(twin)}/${operation}`
        const question = { ...rest, ...(key !== undefined && { key }), headers: { ...encoding, ...headers } }
        answers.push(comparable(await ask(server.url + path, question), twin.site.id))
      }
      assert.deepEqual(answers[0], answers[1])
      given.add(answers[0]!.status)
    }),
    { numRuns: 600 },
  )
  for (const status of [200, 201, 400, 401, 403, 404, 405, 415, 429])
    assert.ok(given.has(status), `${status} was never answered`)
  for (const twins of [pro, free]) assert.deepEqual(await storedOf(twins[0]), await storedOf(twins[1]))
})

test('each is one line in the log, with the same members', async () => {
  const client = new SiteClient(server, pro[0])
  for (const body of [bot, { type: 'bot' }]) {
    const lines = []
    for (const headers of [{}, { 'content-encoding': 'identity' }]) {
      const answer = await client.post('events', body, headers)
      const ofAnswer = ({ requestId }: Record<string, unknown>) =>
        requestId === answer.headers['x-request-id']
      const { requestId, time, ms, ...line } = await server.logged(ofAnswer)
      assert.ok(typeof ms === 'number' && ms >= 0)
      assert.equal(server.log().filter(ofAnswer).length, 1)
      lines.push(line)
    }
    assert.deepEqual(lines[0], lines[1])
  }
})

test('what the storage fails to record is answered as a failure, and the log says why', async () => {
  const client = new SiteClient(server, await addAccount(server.data))
  const database = new DatabaseSync(join(server.data, 'pugmark.db'))
  database.exec("CREATE TRIGGER refusing BEFORE INSERT ON inbox BEGIN SELECT RAISE(ABORT, 'refused'); END")
  const answer = await client.post('events', bot)
  assert.equal(answer.status, 500)
  const requestId = answer.headers['x-request-id']
  assert.match(answer.text, new RegExp(`The request id is ${requestId};`))
  await server.logged(line => line.requestId === requestId && line.msg === 'request failed')
  database.exec('DROP TRIGGER refusing')
  database.close()
  assert.equal((await client.post('events', bot)).status, 201)
})

test('a body that comes in pieces is recorded, and requests that come in together are answered in their order', async () => {
  const { key, site } = await addAccount(server.data)
  const request = (text: string): string =>
    [
      `POST /api/v1/sites/${site.id}/events HTTP/1.1`,
      ...['Host: x', `Authorization: Bearer ${key}`, 'Content-Type: application/json'],
      ...[`Content-Length: ${text.length}`, '', text],
    ].join('\r\n')
  const socket = connect(server.port, '127.0.0.1')
  let read = ''
  socket.setEncoding('latin1').on('data', text => {
    read += text
  })
  const whole = request(JSON.stringify(bot))
  for (const piece of [whole.slice(0, -30), whole.slice(-30, -5), whole.slice(-5)]) {
    socket.write(piece)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  socket.write(whole + request('{') + request(JSON.stringify([bot, bot])))
  while (!read.includes('"recorded":2')) await new Promise(resolve => setTimeout(resolve, 10))
  socket.destroy()
  const said = [...read.matchAll(/HTTP\/1.1 (\d+)|"recorded":(\d)/g)].map(match => match[1] ?? match[2])
  assert.deepEqual(said, ['201', '1', '201', '1', '400', '201', '2'])
  const stats = await new SiteClient(server, { key, site }).stats({ start: '2026-03-01', end: '2026-03-01' })
  assert.equal(stats.totals.bot_visits, 4)
})
