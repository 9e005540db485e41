/** Requests a minute: the window, the headers, what counts and what does not. */
import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { newApiKey } from '../../src/domain/ids.ts'
import { addAccount, addKeyTo, addSiteTo } from '../support/accounts.ts'
import { type Answer, ask, errorOf, type Question } from '../support/ask.ts'
import { startClockedServer } from '../support/clocked-server.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'

const server = await startClockedServer({
  now: '2026-03-15T12:00:00.250Z',
  settings: { PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '5' },
})
after(() => server.stop())
const free = await addAccount(server.data, { plan: 'free' })
const pro = await addAccount(server.data, { plan: 'pro' })
const sites = (key: string, question: Question = {}): Promise<Answer> =>
  ask(`${server.url}/api/v1/sites`, { key, ...question })

const minuteMs = 60_000
// Every test begins with fresh windows.
beforeEach(() => {
  server.now += 2 * minuteMs
})

const remainingIn = ({ headers }: Answer): number => Number(headers['x-ratelimit-remaining'])

function assertLimited(answer: Answer, retryAfter: number): void {
  assert.equal(answer.status, 429)
  const { code, retry_after } = errorOf(answer)
  assert.deepEqual(
    [code, retry_after, answer.headers['retry-after']],
    ['RATE_LIMITED', retryAfter, String(retryAfter)],
  )
}

describe('the window', () => {
  test('of the Free plan has 60 requests, and the 61st is 429 RATE_LIMITED', async () => {
    for (let n = 1; n <= 60; n++) {
      const { status, headers } = await sites(free.key)
      assert.deepEqual(
        [status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']],
        [200, '60', String(60 - n)],
      )
    }
    const refused = await sites(free.key)
    assertLimited(refused, 60)
    assert.deepEqual([refused.headers['x-ratelimit-limit'], remainingIn(refused)], ['60', 0])
  })

  test('lasts 60 s from its first request, and then a new one starts whole', async () => {
    const begin = server.now
    const first = await sites(pro.key)
    assert.equal(Number(first.headers['x-ratelimit-reset']), Math.ceil((begin + minuteMs) / 1000))
    server.now = begin + 30_000
    for (let n = 0; n < 4; n++) assert.equal((await sites(pro.key)).status, 200)
    assertLimited(await sites(pro.key), 30)
    server.now = begin + minuteMs - 1
    assertLimited(await sites(pro.key), 1)
    server.now = begin + minuteMs
    const fresh = await sites(pro.key)
    assert.deepEqual([fresh.status, remainingIn(fresh)], [200, 4])
    assert.equal(Number(fresh.headers['x-ratelimit-reset']), Math.ceil((begin + 2 * minuteMs) / 1000))
  })

  test('is one for all keys of an account, and another for every other account', async () => {
    const second = await addKeyTo(server.data, pro.email, ['read'])
    for (let n = 0; n < 5; n++) assert.equal((await sites(n % 2 ? pro.key : second.key)).status, 200)
    assertLimited(await sites(pro.key), 60)
    assertLimited(await sites(second.key), 60)
    assert.equal((await sites(free.key)).status, 200)
  })

  test('lets exactly its number through when more come at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => sites(pro.key)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 5)
    assert.equal(answers.filter(({ status }) => status === 429).length, 15)
  })

  test('is not made longer by requests that are refused', async () => {
    for (let n = 0; n < 50; n++) await sites(pro.key)
    server.now += minuteMs
    assert.equal((await sites(pro.key)).status, 200)
  })
})

describe('every authenticated read counts, whatever its answer:', () => {
  test('200, 304, 400, 403, HEAD; each answer has the three headers', async () => {
    const client = new SiteClient(server, pro)
    const { headers } = await client.ask('stats')
    const answers = [
      await client.ask('stats', { headers: { 'if-none-match': headers.etag } }),
      await client.ask('stats?start=x'),
      await ask(`${server.url}/api/v1/sites/${free.site.id}/events`, { key: pro.key }),
      await client.ask('timeseries', { method: 'HEAD' }),
      await client.ask('stats'),
    ]
    assert.deepEqual(
      answers.map(answer => [answer.status, remainingIn(answer)]),
      [
        [304, 3],
        [400, 2],
        [403, 1],
        [200, 0],
        [429, 0],
      ],
    )
    for (const { headers } of answers)
      for (const name of ['limit', 'remaining', 'reset'])
        assert.match(headers[`x-ratelimit-${name}`] as string, /^\d+$/)
  })

  test('a read that the scope of the key does not allow counts too', async () => {
    const { key } = await addKeyTo(server.data, pro.email, ['write'])
    const refused = await sites(key)
    assert.deepEqual([refused.status, remainingIn(refused)], [403, 4])
  })

  test('what is no authenticated read does not: 401, 404, 405, OPTIONS, /healthz', async () => {
    await sites(pro.key)
    await sites(newApiKey())
    const { key } = pro
    for (const [place, method] of [
      ['/api/v1/nothing', 'GET'],
      ['/api/v1/sites', 'DELETE'],
      ['/api/v1/sites', 'OPTIONS'],
      ['/healthz', 'GET'],
      ['/openapi.json', 'GET'],
    ] as const) {
      const { headers } = await ask(server.url + place, { method, key })
      assert.equal(headers['x-ratelimit-limit'], undefined, `${method} ${place}`)
    }
    assert.equal(remainingIn(await sites(pro.key)), 3)
  })

  test('recording neither counts nor is it limited: the quota bounds it', async () => {
    const client = new SiteClient(server, pro)
    for (let n = 0; n < 5; n++) await client.stats()
    assertLimited(await client.ask('stats'), 60)
    const recorded = await client.post('events', { type: 'referral', source: 'ChatGPT', page_path: '/' })
    assert.equal(recorded.status, 201)
    assert.equal(recorded.headers['x-ratelimit-limit'], undefined)
  })

  test('all sites of an account share the window', async () => {
    const site = await addSiteTo(server.data, pro.email, 'second.example')
    await new SiteClient(server, pro).stats()
    const answer = await new SiteClient(server, { key: pro.key, site }).ask('stats')
    assert.equal(remainingIn(answer), 3)
  })
})

describe('failed authentication is limited per client address, generously:', () => {
  const fail = (headers: Record<string, string> = {}): Promise<Answer> =>
    ask(`${server.url}/api/v1/sites`, { headers: { authorization: `Bearer ${newApiKey()}`, ...headers } })

  test('after hundreds in a minute 429 with retry_after; a right key still works; a minute later all is well', async () => {
    let failures = 0
    let answer = await fail()
    while (answer.status === 401 && failures < 5_000) {
      failures++
      answer = await fail()
    }
    assert.ok(failures >= 100, `generous: ${failures}`)
    assertLimited(answer, 60)
    // An address that is not trusted as a proxy cannot name others.
    assertLimited(await fail({ 'x-forwarded-for': '203.0.113.9' }), 60)
    assertLimited(await ask(`${server.url}/api/v1/sites`), 60)
    assert.equal((await sites(pro.key)).status, 200)
    server.now += minuteMs
    assert.equal((await fail()).status, 401)
  })
})

test('Pro has 600 requests a minute, and an operator changes a plan by setting', async () => {
  const plain = await startServer()
  const changed = await startServer({ settings: { PUGMARK_PLAN_FREE_REQUESTS_PER_MINUTE: '7' } })
  try {
    for (const [running, plan, limit] of [
      [plain, 'pro', '600'],
      [plain, 'free', '60'],
      [changed, 'free', '7'],
      [changed, 'pro', '600'],
    ] as const) {
      const { key } = await addAccount(running.data, { plan })
      const { headers } = await ask(`${running.url}/api/v1/sites`, { key })
      assert.equal(headers['x-ratelimit-limit'], limit)
    }
  } finally {
    await plain.stop()
    await changed.stop()
  }
})

test('behind a trusted proxy the client address is the one that the proxy names', async () => {
  const proxied = await startClockedServer({
    now: '2026-03-15T12:00:00Z',
    settings: { PUGMARK_TRUST_PROXY: 'loopback' },
  })
  try {
    const fail = (client: string) =>
      ask(`${proxied.url}/api/v1/sites`, { headers: { 'x-forwarded-for': client } })
    let answer = await fail('203.0.113.9')
    for (let n = 0; n < 5_000 && answer.status === 401; n++) answer = await fail('203.0.113.9')
    assert.equal(answer.status, 429)
    assert.equal((await fail('203.0.113.10')).status, 401)
  } finally {
    await proxied.stop()
  }
})
