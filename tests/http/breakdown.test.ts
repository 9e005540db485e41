/** GET …/breakdown: parameters, and counts under any filter, held to a count of the sent events by hand. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import type { BreakdownReport } from '../../src/reports/breakdown.ts'
import { addAccount } from '../support/accounts.ts'
import { errorOf } from '../support/ask.ts'
import { startServer } from '../support/server.ts'
import { type Query, SiteClient } from '../support/site-client.ts'

const server = await startServer({ settings: { FOOTFALL_PLAN_PRO_REQUESTS_PER_MINUTE: '1000000' } })
after(() => server.stop())
const newSite = async (): Promise<SiteClient> => new SiteClient(server, await addAccount(server.data))

async function breakdown(site: SiteClient, query: Query): Promise<BreakdownReport> {
  const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  const answer = await site.ask(`breakdown?${text}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json<BreakdownReport>()
}

interface Sent {
  readonly type: 'bot' | 'referral' | 'conversion'
  readonly page_path: string
  readonly country: string
  readonly created_at: string
  readonly bot_name?: string
  readonly bot_company?: string
  readonly source?: string
  readonly event_name?: string
  readonly event_value?: number
}

const anyFacts = {
  page_path: fc.constantFrom('/', '/a', '/b', '/other', '/é'),
  country: fc.constantFrom('DE', 'US', 'ZZ'),
  created_at: fc.integer({ min: 1, max: 9 }).map(day => `2026-04-0${day}T12:00:00Z`),
}
const anySent: fc.Arbitrary<Sent> = fc.oneof(
  fc.record({
    type: fc.constant('bot' as const),
    bot_name: fc.constantFrom('GPTBot', 'MyBot'),
    bot_company: fc.constantFrom('OpenAI', 'Mine'),
    ...anyFacts,
  }),
  fc.record({
    type: fc.constant('referral' as const),
    source: fc.constantFrom('ChatGPT', 'Claude'),
    ...anyFacts,
  }),
  fc.record({
    type: fc.constant('conversion' as const),
    event_name: fc.constantFrom('signup', 'buy'),
    event_value: fc.constantFrom(0.1, 20),
    ...anyFacts,
  }),
)

const fieldOf = {
  page: (event: Sent) => event.page_path,
  country: (event: Sent) => event.country,
  bot: (event: Sent) => event.bot_name,
  source: (event: Sent) => event.source,
  event: (event: Sent) => event.event_name,
}
type Plain = keyof typeof fieldOf
const plain = Object.keys(fieldOf) as Plain[]

function countsOf(events: readonly Sent[]) {
  const ofType = (type: Sent['type']) => events.filter(event => event.type === type).length
  const tenths = events.reduce((sum, { event_value }) => sum + Math.round((event_value ?? 0) * 10), 0)
  return {
    bot_visits: ofType('bot'),
    referrals: ofType('referral'),
    conversions: ofType('conversion'),
    value: tenths / 10,
  }
}

const columns = { bot: 'bot_visits', referral: 'referrals', conversion: 'conversions' } as const

function expected(events: readonly Sent[], dimension: Plain, type: Sent['type'] | undefined) {
  const groups = Map.groupBy(
    events.filter(event => fieldOf[dimension](event) !== undefined),
    event => fieldOf[dimension](event)!,
  )
  const rows = Array.from(groups, ([name, group]) => ({ name, ...countsOf(group) }))
  const weight = (row: (typeof rows)[number]) =>
    type ? row[columns[type]] : row.bot_visits + row.referrals + row.conversions
  return rows.sort((a, b) => weight(b) - weight(a) || (a.name < b.name ? -1 : 1))
}

describe('GET …/breakdown', () => {
  test('counts by page, country, bot, source and event, under any filters and range, what a count by hand gives', async () => {
    const site = await newSite()
    const sent = fc.sample(anySent, { numRuns: 500, seed: 5 })
    await site.record(sent)
    const anyFilter = fc.record(
      {
        type: fc.constantFrom('bot' as const, 'referral' as const, 'conversion' as const),
        page: fc.constantFrom('/', '/a', '/é', '/never'),
        country: fc.constantFrom('DE', 'ZZ', 'FR'),
        bot: fc.constantFrom('GPTBot', 'NoBot'),
        source: fc.constantFrom('ChatGPT'),
        event: fc.constantFrom('buy'),
      },
      { requiredKeys: [] },
    )
    const anyDay = fc.integer({ min: 1, max: 9 }).map(day => `2026-04-0${day}`)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...plain),
        anyFilter,
        anyDay,
        anyDay,
        async (dimension, filter, one, other) => {
          const [start, end] = one < other ? [one, other] : [other, one]
          const kept = sent.filter(event => {
            const day = event.created_at.slice(0, 10)
            if (day < start || day > end || (filter.type && event.type !== filter.type)) return false
            return plain.every(name => filter[name] === undefined || fieldOf[name](event) === filter[name])
          })
          const report = await breakdown(site, { dimension, ...filter, start, end })
          const rows = expected(kept, dimension, filter.type)
          assert.deepEqual(report, {
            period: { start, end },
            dimension,
            totals: countsOf(kept),
            rows,
            row_count: rows.length,
          })
        },
      ),
      { numRuns: 150 },
    )
  })

  test('by company and purpose adds up to the totals, and knows those of the catalogue', async () => {
    const site = await newSite()
    const event = { page_path: '/', created_at: '2026-04-01T00:00:00Z' }
    await site.record([
      { type: 'bot', bot_name: 'GPTBot', bot_company: 'OpenAI', ...event },
      { type: 'bot', bot_name: 'MyBot', bot_company: 'Mine', ...event },
      { type: 'referral', source: 'ChatGPT', ...event },
    ])
    const range = { start: '2026-04-01', end: '2026-04-01' }
    const companies = await breakdown(site, { dimension: 'company', ...range })
    assert.deepEqual(
      companies.rows.map(({ name, bot_visits, referrals }) => [name, bot_visits, referrals]),
      [
        ['OpenAI', 1, 1],
        ['Mine', 1, 0],
      ],
    )
    const { rows } = await breakdown(site, { dimension: 'purpose', type: 'bot', ...range })
    assert.equal(
      rows.reduce((sum, { bot_visits }) => sum + bot_visits, 0),
      2,
    )
    assert.ok(rows.some(({ name }) => name === 'training'))
    assert.equal(
      (await breakdown(site, { dimension: 'bot', company: 'OpenAI', ...range })).totals.bot_visits,
      1,
    )
    assert.equal(
      (await breakdown(site, { dimension: 'bot', purpose: 'training', ...range })).rows[0]!.name,
      'GPTBot',
    )
  })

  test('lists at most limit rows, and says how many there are', async () => {
    const site = await newSite()
    const created_at = '2026-04-01T00:00:00Z'
    await site.record(
      Array.from({ length: 30 }, (_, i) => ({
        type: 'referral',
        source: 'ChatGPT',
        page_path: `/${i}`,
        created_at,
      })),
    )
    const report = await breakdown(site, {
      dimension: 'page',
      limit: 10,
      start: '2026-04-01',
      end: '2026-04-01',
    })
    assert.deepEqual([report.rows.length, report.row_count, report.totals.referrals], [10, 30, 30])
  })

  test('without dimension, or with an unknown, empty or repeated value, is 400 INVALID_PARAMETER that names the parameter', async () => {
    const site = await newSite()
    const page = 'dimension=page'
    for (const [query, name] of [
      ['', 'dimension'],
      ['dimension=', 'dimension'],
      ['dimension=path', 'dimension'],
      [`${page}&${page}`, 'dimension'],
      [`${page}&type=visit`, 'type'],
      [`${page}&purpose=profit`, 'purpose'],
      [`${page}&limit=1001`, 'limit'],
      ...['bot', 'source', 'event', 'company', 'page', 'country'].flatMap(filter => [
        [`${page}&${filter}=`, filter],
        [`${page}&${filter}=a&${filter}=b`, filter],
      ]),
    ] as [string, string][]) {
      const answer = await site.ask(`breakdown?${query}`)
      assert.deepEqual([answer.status, errorOf(answer).code], [400, 'INVALID_PARAMETER'], query)
      assert.ok(errorOf(answer).error.startsWith(`${name} is `), errorOf(answer).error)
    }
  })
})
