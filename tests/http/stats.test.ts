/** GET …/stats: the object, its order and its sums. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { addAccount } from '../support/accounts.ts'
import { anyText } from '../support/any-text.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'

const server = await startServer({ settings: { PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '1000000' } })
after(() => server.stop())

const newSite = async (): Promise<SiteClient> => new SiteClient(server, await addAccount(server.data))
const day = '2026-05-05'
const created_at = `${day}T12:00:00Z`
const oneDay = { start: day, end: day }
const bot = (bot_name: string, bot_company = 'Company') => ({
  type: 'bot',
  bot_name,
  bot_company,
  page_path: '/',
  created_at,
})
const referral = (source: string) => ({ type: 'referral', source, page_path: '/', created_at })
const conversion = (event_name: string, event_value?: number | null) => ({
  ...{ type: 'conversion', event_name, page_path: '/', created_at },
  ...(event_value !== undefined && { event_value }),
})
const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value)

describe('the Stats object', () => {
  test('has exactly the fields of the specification, in the types that it names', async () => {
    const site = await newSite()
    await site.record([
      ...times(3, bot('GPTBot', 'OpenAI')),
      bot('ClaudeBot', 'Anthropic'),
      ...times(2, referral('ChatGPT')),
      conversion('signup'),
      conversion('purchase', 49.9),
    ])
    assert.deepEqual(await site.stats(oneDay), {
      period: { start: day, end: day },
      totals: { bot_visits: 4, referrals: 2, conversions: 2 },
      bot_breakdown: [
        { bot_name: 'GPTBot', bot_company: 'OpenAI', count: 3 },
        { bot_name: 'ClaudeBot', bot_company: 'Anthropic', count: 1 },
      ],
      referral_breakdown: [{ source: 'ChatGPT', count: 2 }],
      conversion_breakdown: [
        { event_name: 'purchase', count: 1, value: 49.9 },
        { event_name: 'signup', count: 1, value: 0 },
      ],
    })
  })

  test('is all zeros and empty arrays for a site without events', async () => {
    assert.deepEqual(await (await newSite()).stats(oneDay), {
      period: { start: day, end: day },
      totals: { bot_visits: 0, referrals: 0, conversions: 0 },
      bot_breakdown: [],
      referral_breakdown: [],
      conversion_breakdown: [],
    })
  })

  test('holds one site per request: events of another site of the same account are not in it', async () => {
    const [one, other] = [await newSite(), await newSite()]
    await one.record([bot('B')])
    assert.equal((await other.stats(oneDay)).totals.bot_visits, 0)
  })
})

describe('each breakdown', () => {
  test('is sorted by count descending, then by name', async () => {
    const site = await newSite()
    const names = ['b', 'a', 'Z', 'é', 'aa', '10', '9', 'ChatGPT', '😀']
    await site.record([
      ...names.flatMap(name => [bot(name), referral(name), conversion(name)]),
      ...times(2, bot('zz')),
      ...times(2, referral('zz')),
      ...times(2, conversion('zz')),
    ])
    const expected = ['zz', '10', '9', 'ChatGPT', 'Z', 'a', 'aa', 'b', 'é', '😀']
    const stats = await site.stats(oneDay)
    assert.deepEqual(
      stats.bot_breakdown.map(row => row.bot_name),
      expected,
    )
    assert.deepEqual(
      stats.referral_breakdown.map(row => row.source),
      expected,
    )
    assert.deepEqual(
      stats.conversion_breakdown.map(row => row.event_name),
      expected,
    )
  })

  test('has one row a bot name, also when its company was reported differently', async () => {
    const site = await newSite()
    await site.record([
      bot('GPTBot', 'OpenAI'),
      bot('GPTBot', 'Open AI'),
      bot('GPTBot', 'OpenAI'),
      bot('gptbot', 'OpenAI'),
    ])
    const { bot_breakdown } = await site.stats(oneDay)
    assert.deepEqual(
      bot_breakdown.map(({ bot_name, count }) => [bot_name, count]),
      [
        ['GPTBot', 3],
        ['gptbot', 1],
      ],
    )
  })

  test('adds up to its total, and keeps any name as it was sent', async () => {
    const site = await newSite()
    const anyName = anyText(30).filter(text => text.length > 0 && text.isWellFormed())
    const names = [
      ...new Set(fc.sample(anyName, { numRuns: 150, seed: 3 })),
      '__proto__',
      'constructor',
      'toString',
    ]
    await site.record(names.flatMap(name => [bot(name), referral(name), conversion(name, 1)]))
    const stats = await site.stats(oneDay)
    const byName = (texts: string[]) => texts.sort((a, b) => (a < b ? -1 : 1))
    assert.deepEqual(byName(stats.bot_breakdown.map(row => row.bot_name)), byName([...new Set(names)]))
    assert.deepEqual(byName(stats.referral_breakdown.map(row => row.source)), byName([...new Set(names)]))
    assert.deepEqual(
      byName(stats.conversion_breakdown.map(row => row.event_name)),
      byName([...new Set(names)]),
    )
    assert.deepEqual(
      [stats.bot_breakdown, stats.referral_breakdown, stats.conversion_breakdown].map(rows =>
        rows.reduce((sum, { count }) => sum + count, 0),
      ),
      [stats.totals.bot_visits, stats.totals.referrals, stats.totals.conversions],
    )
  })
})

describe('value', () => {
  const totalValue = async (values: (number | null | undefined)[]): Promise<number> => {
    const site = await newSite()
    await site.record(values.map(value => conversion('sale', value)))
    const [row] = (await site.stats(oneDay)).conversion_breakdown
    assert.equal(row!.count, values.length)
    return row!.value
  }

  test('is the sum of the values of that name, and 0 when none is set', async () => {
    assert.equal(await totalValue([19.99, undefined, 5, null]), 24.99)
    assert.equal(await totalValue([undefined, null]), 0)
    assert.equal(await totalValue([10, -10]), 0)
    assert.equal(await totalValue([-1.5, -0.25]), -1.75)
  })

  test('is free of binary dust: ten times 0.1 is 1, and 0.1 with 0.2 is 0.3', async () => {
    assert.equal(await totalValue(times(10, 0.1)), 1)
    assert.equal(await totalValue([0.1, 0.2]), 0.3)
    assert.equal(await totalValue([1e12, 0.01, -1e12]), 0.01)
  })

  test('is exact over batches and days for any amounts of money', async () => {
    const site = await newSite()
    const cents = fc.sample(fc.integer({ min: -10_000_000, max: 10_000_000 }), { numRuns: 400, seed: 11 })
    const events = cents.map((amount, i) => ({
      ...conversion('sale', amount / 100),
      created_at: `2026-05-${String(1 + (i % 28)).padStart(2, '0')}T10:00:00Z`,
    }))
    for (let at = 0; at < events.length; at += 50) await site.record(events.slice(at, at + 50))
    const expected = cents.reduce((sum, amount) => sum + amount, 0) / 100
    const [row] = (await site.stats({ start: '2026-05-01', end: '2026-05-31' })).conversion_breakdown
    assert.equal(row!.value, expected)
  })
})

test('stats takes start and end alone: other parameters are ignored, as Stripe and Plausible users may send their own', async () => {
  const site = await newSite()
  assert.equal((await site.ask(`stats?start=${day}&end=${day}&_=123&limit=0`)).status, 200)
})
