/** GET …/breakdown: every dimension, filters that combine, and what happens to pages beyond those that are kept one by one. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type BreakdownReport, dimensions } from '../../src/reports/breakdown.ts'
import { addAccount } from '../support/accounts.ts'
import { ask, errorOf } from '../support/ask.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'

const server = await startServer({ settings: { PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '1000000' } })
after(() => server.stop())

const account = await addAccount(server.data)
const site = new SiteClient(server, account)
const created_at = '2026-05-05T12:00:00Z'
const bot = (bot_name: string, bot_company: string, page_path: string, country: string) => ({
  ...{ type: 'bot', bot_name, bot_company, page_path, country, created_at },
})
await site.record([
  bot('GPTBot', 'OpenAI', '/', 'US'),
  bot('GPTBot', 'OpenAI', '/', 'US'),
  bot('GPTBot', 'OpenAI', '/docs', 'DE'),
  bot('OAI-SearchBot', 'OpenAI', '/docs', 'US'),
  bot('ClaudeBot', 'Anthropic', '/', 'US'),
  { type: 'referral', source: 'ChatGPT', page_path: '/docs', country: 'DE', created_at },
  { type: 'referral', source: 'Claude', page_path: '/', country: 'FR', created_at },
  {
    type: 'conversion',
    event_name: 'purchase',
    event_value: 0.1,
    page_path: '/thanks',
    country: 'DE',
    created_at,
  },
  {
    type: 'conversion',
    event_name: 'purchase',
    event_value: 0.2,
    page_path: '/thanks',
    country: 'DE',
    created_at,
  },
])

async function breakdown(query: string): Promise<BreakdownReport> {
  const answer = await site.ask(`breakdown?start=2026-05-01&end=2026-05-31&${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json<BreakdownReport>()
}

/** Names with their three counts, in the order of the answer. */
const rows = async (query: string) =>
  (await breakdown(query)).rows.map(row => [row.name, row.bot_visits, row.referrals, row.conversions])

describe('a breakdown', () => {
  test('is by page, country, company, purpose, bot, assistant or conversion, largest first', async () => {
    assert.deepEqual(await rows('dimension=page'), [
      ['/', 3, 1, 0],
      ['/docs', 2, 1, 0],
      ['/thanks', 0, 0, 2],
    ])
    assert.deepEqual(await rows('dimension=country'), [
      ['DE', 1, 1, 2],
      ['US', 4, 0, 0],
      ['FR', 0, 1, 0],
    ])
    assert.deepEqual(await rows('dimension=company'), [
      ['OpenAI', 4, 1, 0],
      ['', 0, 0, 2],
      ['Anthropic', 1, 1, 0],
    ])
    assert.deepEqual(await rows('dimension=purpose'), [
      ['training', 4, 0, 0],
      ['search', 1, 0, 0],
    ])
    assert.deepEqual(await rows('dimension=bot'), [
      ['GPTBot', 3, 0, 0],
      ['ClaudeBot', 1, 0, 0],
      ['OAI-SearchBot', 1, 0, 0],
    ])
    assert.deepEqual(await rows('dimension=source'), [
      ['ChatGPT', 0, 1, 0],
      ['Claude', 0, 1, 0],
    ])
    assert.deepEqual(await rows('dimension=event'), [['purchase', 0, 0, 2]])
  })

  test('sums values exactly, and its totals are of everything that the filters let through', async () => {
    const { totals, period, row_count } = await breakdown('dimension=event')
    assert.deepEqual(totals, { bot_visits: 5, referrals: 2, conversions: 2, value: 0.3 })
    assert.deepEqual(period, { start: '2026-05-01', end: '2026-05-31' })
    assert.equal(row_count, 1)
  })

  test('has the same totals whatever its dimension, under filters by name and by page', async () => {
    for (const filter of ['', '&type=bot', '&company=OpenAI', '&page=/docs', '&country=DE&event=purchase']) {
      const totals = await Promise.all(
        dimensions.map(async dimension => (await breakdown(`dimension=${dimension}${filter}`)).totals),
      )
      assert.deepEqual(totals, Array(dimensions.length).fill(totals[0]), filter)
      assert.notEqual(totals[0]!.bot_visits + totals[0]!.conversions, 0, filter)
    }
  })

  test('takes every filter, and all of them together', async () => {
    assert.deepEqual(await rows('dimension=bot&company=OpenAI&country=US'), [
      ['GPTBot', 2, 0, 0],
      ['OAI-SearchBot', 1, 0, 0],
    ])
    assert.deepEqual(await rows('dimension=page&type=referral'), [
      ['/', 0, 1, 0],
      ['/docs', 0, 1, 0],
    ])
    assert.deepEqual(await rows('dimension=country&page=/docs&bot=GPTBot'), [['DE', 1, 0, 0]])
    assert.deepEqual(await rows('dimension=page&purpose=search'), [['/docs', 1, 0, 0]])
    assert.deepEqual(await rows('dimension=page&source=Claude'), [['/', 0, 1, 0]])
    assert.deepEqual(await rows('dimension=page&event=purchase'), [['/thanks', 0, 0, 2]])
    assert.deepEqual(await rows('dimension=page&bot=Nobody'), [])
  })

  test('lists no more rows than asked for, and says how many there are', async () => {
    const { rows: listed, row_count } = await breakdown('dimension=page&limit=1')
    assert.deepEqual(
      listed.map(({ name }) => name),
      ['/'],
    )
    assert.equal(row_count, 3)
  })

  test('shows what was recorded right before, and 304 while nothing has changed', async () => {
    const own = await addAccount(server.data)
    const client = new SiteClient(server, own)
    const first = await client.ask('breakdown?dimension=page')
    const again = await client.ask('breakdown?dimension=page', {
      headers: { 'if-none-match': first.headers.etag },
    })
    assert.equal(again.status, 304)
    await client.record([{ type: 'referral', source: 'ChatGPT', page_path: '/new' }])
    const answer = await client.ask('breakdown?dimension=page', {
      headers: { 'if-none-match': first.headers.etag },
    })
    assert.equal(answer.json<BreakdownReport>().rows[0]?.name, '/new')
  })

  test('refuses an unknown dimension, a missing one, an unknown purpose and a repeated filter, by name', async () => {
    for (const [query, named] of [
      ['dimension=colour', 'dimension'],
      ['', 'dimension'],
      ['dimension=page&purpose=fun', 'purpose'],
      ['dimension=page&bot=a&bot=b', 'bot'],
      ['dimension=page&limit=0', 'limit'],
      ['dimension=page&type=click', 'type'],
    ] as const) {
      const { code, error } = errorOf(await site.ask(`breakdown?${query}`))
      assert.equal(code, 'INVALID_PARAMETER', query)
      assert.ok(error.startsWith(named), error)
    }
  })

  test('needs a key and a site of the caller, as every other report', async () => {
    const url = `${server.url}/api/v1/sites/${account.site.id}/breakdown?dimension=page`
    assert.equal(errorOf(await ask(url)).code, 'MISSING_KEY')
    const stranger = await addAccount(server.data)
    assert.equal(errorOf(await ask(url, { key: stranger.key })).code, 'SITE_NOT_FOUND')
  })
})
