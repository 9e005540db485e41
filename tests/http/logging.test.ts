/** The log: one JSON line a request, enough to find out what happened, and nothing that is secret or personal. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { addAccount } from '../support/accounts.ts'
import { ask } from '../support/ask.ts'
import { sendRaw } from '../support/raw-request.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'

const server = await startServer()
after(() => server.stop())
const account = await addAccount(server.data)
const site = new SiteClient(server, account)

describe('every request', () => {
  test('is one line with time, request id, method, route, status and duration; with account and site where there is one', async () => {
    const answer = await site.ask('stats?start=2026-01-01')
    const { time, ms, ...line } = await server.logged(
      ({ requestId }) => requestId === answer.headers['x-request-id'],
    )
    assert.deepEqual(line, {
      level: 30,
      requestId: answer.headers['x-request-id'],
      method: 'GET',
      route: '/api/v1/sites/:siteId/stats',
      status: 200,
      account: account.site.accountId,
      site: account.site.id,
      msg: 'request',
    })
    assert.ok(typeof ms === 'number' && ms >= 0)
    assert.ok(Math.abs(Date.parse(time as string) - Date.now()) < 60_000)
  })

  test('that is refused is a line too', async () => {
    for (const [place, status] of [
      ['/api/v1/sites', 401],
      ['/api/v1/sites//stats', 401],
      ['/nothing', 404],
    ] as const) {
      const { headers } = await ask(server.url + place)
      const line = await server.logged(({ requestId }) => requestId === headers['x-request-id'])
      assert.equal(line.status, status)
    }
  })
})

test('no line has a key, an address, a query, a path of a visitor, a referrer or an email', async () => {
  const secrets = {
    address: '203.0.113.77',
    query: 'needle-in-query',
    path: 'needle-in-path',
    visited: 'needle-on-page',
    referrer: 'needle.example',
    idempotency: 'needle-idempotent',
    agent: 'needle-agent',
  }
  await site.ask(`stats?start=${secrets.query}&key=${account.key}`)
  await ask(`${server.url}/${secrets.path}/${account.key}?${secrets.query}`)
  await ask(`${server.url}/api/v1/sites/${account.key}/stats?token=${account.key}`, { key: account.key })
  await ask(`${server.url}/api/v1/sites`, { headers: { authorization: `Basic ${account.key}` } })
  await ask(`${server.url}/api/v1/sites`, {
    key: account.key,
    headers: {
      'x-forwarded-for': secrets.address,
      'user-agent': secrets.agent,
      referer: `https://${secrets.referrer}/`,
    },
  })
  await site.post('hits', {
    url: `/${secrets.visited}`,
    user_agent: 'GPTBot/1.4',
    referrer: `https://${secrets.referrer}/`,
    ip: secrets.address,
  })
  await site.post('events', `{"type": "${secrets.visited}"`, { 'idempotency-key': secrets.idempotency })
  await site.post('events', { type: 'referral', source: 'x', page_path: secrets.visited })
  await sendRaw(
    server.port,
    `GET /${secrets.path} HTTP/1.1\r\nAuthorization: Bearer ${account.key}\r\nBroken\r\n\r\n`,
  )
  const last = await ask(`${server.url}/healthz`)
  await server.logged(({ requestId }) => requestId === last.headers['x-request-id'])
  const text = JSON.stringify(server.log().filter(({ requestId }) => requestId !== undefined))
  for (const secret of [
    account.key,
    account.key.slice(3),
    account.site.key,
    account.email,
    '127.0.0.1',
    ...Object.values(secrets),
  ])
    assert.equal(text.includes(secret), false, secret)
})

test('standard output is not the log: it has the address and what to do next', () => {
  assert.match(server.stdout(), /^listening on http:\/\/127\.0\.0\.1:\d+\n/)
  assert.doesNotMatch(server.stdout(), /[{}]/)
})

test('PUGMARK_LOG_LEVEL=error leaves out requests, and silent everything', async () => {
  for (const level of ['error', 'silent']) {
    const quiet = await startServer({ settings: { PUGMARK_LOG_LEVEL: level } })
    await ask(`${quiet.url}/healthz`)
    await setTimeout(50)
    assert.equal(await quiet.stop(), 0)
    assert.equal(quiet.stderr(), '')
  }
})
