/** The monthly quota of an account: LIMIT_EXCEEDED, when it ends, what it counts, and that reads go on. */
import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { addAccount, addSiteTo } from '../support/accounts.ts'
import { type Answer, errorOf } from '../support/ask.ts'
import { startClockedServer } from '../support/clocked-server.ts'
import { pugmarkJson } from '../support/program.ts'
import { SiteClient } from '../support/site-client.ts'

const server = await startClockedServer({
  now: '2026-02-27T12:00:00Z',
  settings: { PUGMARK_PLAN_PRO_EVENTS_PER_MONTH: '10', PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '1000000' },
})
after(() => server.stop())
beforeEach(() => {
  server.now = Date.parse('2026-02-27T12:00:00Z')
})

const visit = { type: 'referral', source: 'ChatGPT', page_path: '/' }
const visits = (count: number) => Array.from({ length: count }, () => visit)
const owner = () => addAccount(server.data, { plan: 'pro' })
const clientOf = (account: Awaited<ReturnType<typeof owner>>) => new SiteClient(server, account)

function assertOverQuota(answer: Answer, seconds: number): void {
  assert.equal(answer.status, 429, answer.text)
  const { code, retry_after, error } = errorOf(answer)
  assert.deepEqual(
    [code, retry_after, answer.headers['retry-after']],
    ['LIMIT_EXCEEDED', seconds, String(seconds)],
  )
  assert.match(error, /Nothing was recorded/)
}

const twoDaysMinus12h = 1.5 * 86_400

describe('over the monthly quota', () => {
  test('of the Free plan, 10,000 events: 429 LIMIT_EXCEEDED, nothing recorded, and what still fits is taken', async () => {
    const site = clientOf(await addAccount(server.data, { plan: 'free' }))
    await site.record(visits(9_999))
    assertOverQuota(await site.post('events', visits(2)), twoDaysMinus12h)
    assert.match(errorOf(await site.post('events', visits(2))).error, /10000.*9999/, 'says limit and use')
    assert.equal((await site.stats()).totals.referrals, 9_999)
    await site.record(visits(1))
    assertOverQuota(await site.post('events', visit), twoDaysMinus12h)
    assertOverQuota(await site.post('hits', { url: '/', user_agent: 'GPTBot/1.4' }), twoDaysMinus12h)
  })

  test('retry_after is the seconds to the next UTC month, at least 1, and then recording goes on', async () => {
    const site = clientOf(await owner())
    await site.record(visits(10))
    for (const [now, seconds] of [
      ['2026-02-28T23:59:00.000Z', 60],
      ['2026-02-28T23:59:58.001Z', 2],
      ['2026-02-28T23:59:59.999Z', 1],
    ] as const) {
      server.now = Date.parse(now)
      assertOverQuota(await site.post('events', visit), seconds)
    }
    server.now = Date.parse('2026-03-01T00:00:00Z')
    await site.record(visits(10))
    assertOverQuota(await site.post('events', visit), 31 * 86_400)
  })

  test('reads go on', async () => {
    const account = await owner()
    const site = clientOf(account)
    await site.record(visits(10))
    assertOverQuota(await site.post('events', visit), twoDaysMinus12h)
    assert.equal((await site.stats()).totals.referrals, 10)
    assert.equal((await site.events()).events.length, 10)
    assert.equal((await site.timeseries()).data.length, 8)
  })

  test('an empty batch, and hits that are all ignored, are taken; so is the repeat of what was recorded', async () => {
    const site = clientOf(await owner())
    const once = { 'idempotency-key': 'once' }
    const first = await site.post('events', visits(10), once)
    assert.equal((await site.post('events', [])).status, 201)
    assert.equal((await site.post('hits', { url: '/', user_agent: '' })).status, 200)
    const again = await site.post('events', visits(10), once)
    assert.deepEqual(
      [again.status, again.text, again.headers['idempotent-replayed']],
      [201, first.text, 'true'],
    )
  })

  test('an Idempotency-Key is free for the next month', async () => {
    const site = clientOf(await owner())
    const once = { 'idempotency-key': 'once' }
    server.now = Date.parse('2026-02-28T23:59:00Z')
    assertOverQuota(await site.post('events', visits(11), once), 60)
    server.now = Date.parse('2026-03-01T00:00:00Z')
    assert.equal((await site.post('events', visits(10), once)).status, 201)
  })
})

describe('the quota', () => {
  test('is one for all sites of an account, and removing a site gives nothing back', async () => {
    const account = await owner()
    const second = await addSiteTo(server.data, account.email, 'second.example')
    const other = new SiteClient(server, { key: account.key, site: second })
    await clientOf(account).record(visits(6))
    await other.record(visits(4))
    assertOverQuota(await other.post('events', visit), twoDaysMinus12h)
    await pugmarkJson(server.data, ['site', 'remove', second.id])
    assertOverQuota(await clientOf(account).post('events', visit), twoDaysMinus12h)
    await clientOf(await owner()).record(visits(10))
  })

  test('counts when an event was recorded, not when it occurred', async () => {
    const site = clientOf(await owner())
    await site.record(visits(10).map(event => ({ ...event, created_at: '2020-05-05T00:00:00Z' })))
    assertOverQuota(
      await site.post('events', { ...visit, created_at: '2021-05-05T00:00:00Z' }),
      twoDaysMinus12h,
    )
  })

  test('counts of hits only what they become', async () => {
    const site = clientOf(await owner())
    const ignored = Array.from({ length: 100 }, () => ({ url: '/a.png', user_agent: 'GPTBot/1.4' }))
    assert.equal((await site.post('hits', ignored)).status, 200)
    await site.record(visits(10))
  })

  test('lets exactly its number through when more come at the same moment', async () => {
    const site = clientOf(await owner())
    const answers = await Promise.all(Array.from({ length: 40 }, () => site.post('events', visit)))
    assert.equal(answers.filter(({ status }) => status === 201).length, 10)
    assert.equal(answers.filter(({ status }) => status === 429).length, 30)
    assert.equal((await site.stats()).totals.referrals, 10)
  })

  test('is another from the next request on when the plan was changed', async () => {
    const account = await owner()
    const site = clientOf(account)
    await site.record(visits(10))
    assertOverQuota(await site.post('events', visit), twoDaysMinus12h)
    await pugmarkJson(server.data, ['user', 'plan', account.email, 'free'])
    await site.record(visits(100))
  })

  test('is unlimited for Pro by default, and for any plan whose setting says so', async () => {
    for (const [settings, plan] of [
      [{}, 'pro'],
      [{ PUGMARK_PLAN_FREE_EVENTS_PER_MONTH: 'unlimited' }, 'free'],
    ] as const) {
      const open = await startClockedServer({ now: '2026-02-27T12:00:00Z', settings })
      try {
        const site = new SiteClient(open, await addAccount(open.data, { plan }))
        for (let n = 0; n < 2; n++) await site.record(visits(10_000))
      } finally {
        await open.stop()
      }
    }
  })
})
