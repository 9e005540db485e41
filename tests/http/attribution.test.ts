/** GET …/attribution: what senders and the snippet say of a conversion's visitor, and what the report makes of it. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { AttributionReport } from '../../src/reports/attribution.ts'
import { addAccount, addSiteTo } from '../support/accounts.ts'
import { ask, errorOf } from '../support/ask.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'

const server = await startServer({ settings: { PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '1000000' } })
after(() => server.stop())
const account = await addAccount(server.data)

const day = '2026-05-05'
const created_at = `${day}T12:00:00Z`
const conversion = (fields: object = {}) => ({
  ...{ type: 'conversion', event_name: 'purchase', page_path: '/thanks', created_at },
  ...fields,
})

class Site extends SiteClient {
  readonly trackingKey: string

  constructor(site: { id: string; key: string }) {
    super(server, { key: account.key, site })
    this.trackingKey = site.key
  }

  async attribution(query = `start=${day}&end=${day}`): Promise<AttributionReport> {
    const answer = await this.ask(`attribution?${query}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.json<AttributionReport>()
  }

  /** Sources with their counts, in the order of the answer. */
  async sources(): Promise<(string | number)[][]> {
    const { source_breakdown } = await this.attribution()
    return source_breakdown.map(row => [row.source, row.conversions])
  }
}

const newSite = async (): Promise<Site> =>
  new Site(await addSiteTo(server.data, account.email, 'example.com'))

describe('the report', () => {
  test('counts conversions and sums values by assistant, landing page and both with the event', async () => {
    const site = await newSite()
    await site.record([
      conversion({
        source: 'ChatGPT',
        landing_page: '/pricing?utm_source=chatgpt.com#top',
        event_value: 0.1,
      }),
      conversion({ source: 'ChatGPT', landing_page: '/pricing', event_value: 0.2 }),
      conversion({ source: 'ChatGPT', event_name: 'signup' }),
      conversion({ source: 'Claude', landing_page: '/pricing', event_value: -5 }),
      conversion({ event_value: 1 }),
      conversion({ source: null, landing_page: null }),
      conversion({ source: 'ChatGPT', landing_page: '/', created_at: '2026-05-06T00:00:00Z' }),
      { type: 'referral', source: 'ChatGPT', page_path: '/pricing', created_at },
    ])
    assert.deepEqual(await site.attribution(), {
      period: { start: day, end: day },
      model: 'last_assistant_touch',
      window: 'session',
      totals: { conversions: 6, value: -3.7 },
      attributed: { conversions: 4, value: -4.7 },
      unattributed: { conversions: 2, value: 1 },
      source_breakdown: [
        { source: 'ChatGPT', conversions: 3, value: 0.3 },
        { source: 'Claude', conversions: 1, value: -5 },
      ],
      source_count: 2,
      landing_page_breakdown: [
        { landing_page: '/pricing', conversions: 3, value: -4.7 },
        { landing_page: null, conversions: 1, value: 0 },
      ],
      landing_page_count: 2,
      rows: [
        { source: 'ChatGPT', landing_page: '/pricing', event_name: 'purchase', conversions: 2, value: 0.3 },
        { source: 'ChatGPT', landing_page: null, event_name: 'signup', conversions: 1, value: 0 },
        { source: 'Claude', landing_page: '/pricing', event_name: 'purchase', conversions: 1, value: -5 },
      ],
      row_count: 3,
    })
  })

  test('adds up to the conversions of stats, and is all zeros for a site without any', async () => {
    const site = await newSite()
    const empty = await site.attribution()
    assert.deepEqual([empty.totals, empty.rows], [{ conversions: 0, value: 0 }, []])
    await site.record([conversion({ source: 'Claude', event_value: 3 }), conversion({ event_value: 4 })])
    const [{ totals }, stats] = [await site.attribution(), await site.stats({ start: day, end: day })]
    assert.equal(totals.conversions, stats.totals.conversions)
    assert.equal(totals.value, stats.conversion_breakdown[0]?.value)
  })

  test('lists no more of each than asked for, and says how many there are', async () => {
    const site = await newSite()
    await site.record([1, 2, 3].map(n => conversion({ source: `assistant ${n}`, landing_page: `/${n}` })))
    const short = await site.attribution(`start=${day}&end=${day}&limit=2`)
    assert.deepEqual(
      [short.source_breakdown, short.landing_page_breakdown, short.rows].map(rows => rows.length),
      [2, 2, 2],
    )
    assert.deepEqual([short.source_count, short.landing_page_count, short.row_count], [3, 3, 3])
    assert.deepEqual(short.totals, { conversions: 3, value: 0 })
    for (const [query, code] of [
      ['limit=0', 'INVALID_PARAMETER'],
      ['start=2026-02-30', 'INVALID_DATE_RANGE'],
    ] as const)
      assert.equal(errorOf(await site.ask(`attribution?${query}`)).code, code)
  })

  test('shows what was recorded right before, and 304 while nothing has changed', async () => {
    const site = await newSite()
    const first = await site.ask(`attribution?start=${day}&end=${day}`)
    const headers = { 'if-none-match': first.headers.etag }
    assert.equal((await site.ask(`attribution?start=${day}&end=${day}`, { headers })).status, 304)
    await site.record([conversion({ source: 'Claude' })])
    assert.deepEqual(await site.sources(), [['Claude', 1]])
    assert.equal((await site.ask(`attribution?start=${day}&end=${day}`, { headers })).status, 200)
  })
})

describe('the source of a conversion that is sent', () => {
  test("is an assistant's name in any letter case, an alias, a host or URL, or a utm_source", async () => {
    const site = await newSite()
    const ways = [
      'ChatGPT',
      'chatgpt',
      'chatgpt.com',
      'https://chatgpt.com/c/1?x=y',
      'HTTPS://CHATGPT.COM',
      'openai',
    ]
    await site.record([...ways, 'Le Chat'].map(source => conversion({ source })))
    assert.deepEqual(await site.sources(), [
      ['ChatGPT', ways.length],
      ['Mistral Vibe', 1],
    ])
  })

  test('stays as sent when no assistant is known by it, but of a URL only the host', async () => {
    const site = await newSite()
    const private_ = `https://In-House.example/ask?q=${'x'.repeat(1_900)}`
    await site.record(['Our Assistant', private_, 'notchatgpt.com'].map(source => conversion({ source })))
    assert.deepEqual(await site.sources(), [
      ['Our Assistant', 1],
      ['in-house.example', 1],
      ['notchatgpt.com', 1],
    ])
  })

  test('shows in attribution alone: the events keep the fields of the specification', async () => {
    const site = await newSite()
    await site.record([conversion({ source: 'ChatGPT', landing_page: '/pricing' })])
    const { events } = await site.events({ start: day, end: day })
    assert.deepEqual(Object.keys(events[0]!).sort(), [
      ...['country', 'created_at', 'event_name', 'event_value', 'id', 'page_path', 'type'],
    ])
    const { totals, referral_breakdown } = await site.stats({ start: day, end: day })
    assert.deepEqual([totals.referrals, referral_breakdown], [0, []])
  })

  test('is refused by index and field where it is no good, as is a landing page, and nothing is recorded', async () => {
    const site = await newSite()
    const bot = { type: 'bot', bot_name: 'GPTBot', bot_company: 'OpenAI', page_path: '/' }
    const referral = { type: 'referral', source: 'ChatGPT', page_path: '/' }
    for (const [wrong, field] of [
      [conversion({ source: '' }), 'source'],
      [conversion({ source: 5 }), 'source'],
      [conversion({ source: 'x'.repeat(201) }), 'source'],
      [conversion({ source: `https://chatgpt.com/${'x'.repeat(2_048)}` }), 'source'],
      [conversion({ source: '\ud800' }), 'source'],
      [conversion({ source: 'ChatGPT', landing_page: 'pricing' }), 'landing_page'],
      [conversion({ source: 'ChatGPT', landing_page: '' }), 'landing_page'],
      [conversion({ source: 'ChatGPT', landing_page: `/${'x'.repeat(2_048)}` }), 'landing_page'],
      [conversion({ landing_page: '/\ud800' }), 'landing_page'],
      [{ ...bot, source: 'ChatGPT' }, 'source'],
      [{ ...bot, landing_page: '/' }, 'landing_page'],
      [{ ...referral, landing_page: '/' }, 'landing_page'],
    ] as const) {
      const refused = await site.post('events', [conversion(), wrong])
      const { code, error } = errorOf(refused)
      assert.deepEqual([refused.status, code], [400, 'INVALID_EVENT'], error)
      assert.ok(
        error.startsWith(`Event 1, ${field}: it `) || error.startsWith(`Event 1, ${field}: there `),
        error,
      )
    }
    assert.equal((await site.attribution()).totals.conversions, 0)
  })
})

describe('a conversion of the snippet', () => {
  const chrome =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
  let sent = 0
  const convert = async (site: Site, touches: object[]): Promise<void> => {
    const message = {
      ...{ site: site.trackingKey, id: `conversion${++sent}`, kind: 'conversion', touches },
      ...{ url: 'https://example.com/thanks', name: 'purchase', value: 49.9 },
    }
    const answer = await ask(`${server.url}/collect`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain;charset=UTF-8', 'user-agent': chrome },
      body: JSON.stringify(message),
    })
    assert.equal(answer.status, 204, answer.text)
  }
  const landing = (referrer: string, path: string) => ({ referrer, url: `https://example.com${path}` })
  const rowsOf = async (site: Site) =>
    (await site.attribution('')).rows.map(row => [row.source, row.landing_page, row.conversions, row.value])

  test('goes to the last landing of its session that an assistant sent', async () => {
    const site = await newSite()
    await convert(site, [
      landing('https://www.perplexity.ai/', '/'),
      landing('https://chatgpt.com/', '/pricing?utm_source=chatgpt.com'),
      landing('https://pay.example/', '/checkout'),
    ])
    await convert(site, [landing('', '/guide?utm_source=chatgpt.com')])
    assert.deepEqual(await rowsOf(site), [
      ['ChatGPT', '/guide', 1, 49.9],
      ['ChatGPT', '/pricing', 1, 49.9],
    ])
  })

  test('is unattributed without one, and when the landing was on another site', async () => {
    const site = await newSite()
    await convert(site, [])
    await convert(site, [landing('https://news.example/', '/')])
    await convert(site, [{ referrer: 'https://chatgpt.com/', url: 'https://elsewhere.example/' }])
    assert.deepEqual(await rowsOf(site), [])
    assert.deepEqual((await site.attribution('')).unattributed, { conversions: 3, value: 149.7 })
  })
})
