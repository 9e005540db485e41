/** POST …/hits: raw requests are classified by the server, and every hit is in exactly one of the counts that it answers. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { type IgnoreReason, ignoreReasons } from '../../src/detection/detector.ts'
import type { HitsReport, SentHit } from '../../src/ingest/sent-hit.ts'
import type { ApiEvent } from '../../src/reports/api-event.ts'
import { addAccount, addSiteTo } from '../support/accounts.ts'
import { errorOf } from '../support/ask.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'

const server = await startServer({ settings: { PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '1000000' } })
after(() => server.stop())
const account = await addAccount(server.data)
const newSite = async (): Promise<SiteClient> => {
  const site = await addSiteTo(server.data, account.email, 'example.com')
  return new SiteClient(server, { key: account.key, site })
}

const gptBot =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.4; +https://openai.com/gptbot'
const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'

const read: SentHit = { method: 'GET', url: '/pricing', status: 200, user_agent: gptBot }
const click: SentHit = { ...read, user_agent: chrome, referrer: 'https://chatgpt.com/' }

type Outcome = 'bot' | 'referral' | IgnoreReason

async function send(site: SiteClient, hits: unknown): Promise<HitsReport> {
  const answer = await site.post('hits', hits)
  assert.equal(answer.status, 200, answer.text)
  return answer.json<HitsReport>()
}

const report = (
  received: number,
  bot: number,
  referral: number,
  ignored: Record<string, number> = {},
): HitsReport => ({
  received,
  recorded: { bot, referral },
  ignored,
})

describe('hits', () => {
  test('may be one object, an array, {"events": […]} or NDJSON; the answer is 200 {"received","recorded","ignored"}', async () => {
    const site = await newSite()
    const hits = [read, click, { ...read, method: 'POST' }]
    assert.deepEqual(await send(site, read), report(1, 1, 0))
    assert.deepEqual(await send(site, hits), report(3, 1, 1, { method: 1 }))
    assert.deepEqual(await send(site, { events: hits }), report(3, 1, 1, { method: 1 }))
    const lines = await site.post('hits', hits.map(hit => JSON.stringify(hit)).join('\n'), {
      'content-type': 'application/x-ndjson',
    })
    assert.deepEqual(lines.json(), report(3, 1, 1, { method: 1 }))
    assert.deepEqual(await send(site, []), report(0, 0, 0))
    assert.deepEqual((await site.stats()).totals, { bot_visits: 4, referrals: 3, conversions: 0 })
  })

  test('need url and user_agent alone; null stands for what the sender does not know', async () => {
    const site = await newSite()
    assert.deepEqual(await send(site, { url: '/', user_agent: gptBot }), report(1, 1, 0))
    const unknown = { url: '/', user_agent: gptBot, status: null, referrer: null, ip: null, country: null }
    assert.deepEqual(await send(site, unknown), report(1, 1, 0))
  })

  test('of bots and assistants become events of the names that the catalogue has', async () => {
    const site = await newSite()
    const timestamp = '2026-03-01T12:00:00+02:00'
    await send(site, [
      { ...read, url: 'https://example.com/a?b=c#d', country: 'de', timestamp },
      { ...click, url: '/e?utm_source=chatgpt.com', country: 'FR', timestamp },
    ])
    const { events } = await site.events({ start: '2026-03-01', end: '2026-03-01' })
    const created_at = '2026-03-01T10:00:00.000Z'
    assert.deepEqual(
      events.map(({ id, ...rest }: ApiEvent) => rest).sort((a, b) => (a.type < b.type ? -1 : 1)),
      [
        {
          type: 'bot',
          bot_name: 'GPTBot',
          bot_company: 'OpenAI',
          page_path: '/a',
          country: 'DE',
          created_at,
        },
        { type: 'referral', source: 'ChatGPT', page_path: '/e', country: 'FR', created_at },
      ],
    )
  })

  test('have the country that the sender names, else that of the client address, else ZZ; the address itself is not kept', async () => {
    const site = await newSite()
    const address = '8.8.8.8'
    const cases: [Partial<SentHit>, string][] = [
      [{ country: 'jp', ip: address }, 'JP'],
      [{ ip: address }, 'US'],
      [{ ip: '2001:4860:4860::8888' }, 'US'],
      [{ ip: '10.1.2.3' }, 'ZZ'],
      [{ ip: 'unknown' }, 'ZZ'],
      [{ ip: '' }, 'ZZ'],
      [{}, 'ZZ'],
    ]
    for (const [n, [facts]] of cases.entries()) await send(site, { ...read, url: `/${n}`, ...facts })
    const { events } = await site.events()
    const byPath = new Map(events.map(event => [event.page_path, event.country]))
    assert.deepEqual(
      cases.map((_, n) => byPath.get(`/${n}`)),
      cases.map(([, country]) => country),
    )
    const files = readdirSync(server.data).map(name => readFileSync(path.join(server.data, name), 'latin1'))
    assert.equal(
      files.some(content => content.includes(address) || content.includes('2001:4860')),
      false,
    )
    assert.equal(server.stderr().includes(address), false)
  })
})

describe('what counts:', () => {
  const assistants = 'https://chatgpt.com/'
  const cases: [what: string, hit: Partial<SentHit>, Outcome][] = [
    ['a GET of a bot', {}, 'bot'],
    ['a HEAD of a bot', { method: 'HEAD' }, 'bot'],
    ...['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'].map(
      method => [`a ${method} of a bot`, { method }, 'method'] as [string, Partial<SentHit>, Outcome],
    ),
    ...[301, 302, 303, 307, 308].map(
      status => [`a redirect with ${status}`, { status }, 'redirect'] as [string, Partial<SentHit>, Outcome],
    ),
    ...[200, 204, 206, 300, 304, 305, 401, 403, 404, 410, 429, 500, 503].map(
      status => [`an answer with ${status}`, { status }, 'bot'] as [string, Partial<SentHit>, Outcome],
    ),
    ...'css js mjs map png jpg jpeg gif webp avif svg ico bmp woff woff2 ttf otf eot mp3 mp4 webm ogg wav avi mov zip gz tgz bz2 xz rar 7z exe dmg iso deb rpm'
      .split(' ')
      .map(
        extension =>
          [`a .${extension}`, { url: `/x/file.${extension}?v=1` }, 'static-asset'] as [
            string,
            Partial<SentHit>,
            Outcome,
          ],
      ),
    ['a .PNG in capitals', { url: '/LOGO.PNG' }, 'static-asset'],
    ...[
      '/',
      '/about',
      '/paper.pdf',
      '/robots.txt',
      '/llms.txt',
      '/sitemap.xml',
      '/data.json',
      '/feed',
      '/feed.rss',
      '/a.html',
      '/logo.png/',
      '/css',
      '/?file=x.png',
      '/v1.2/page',
    ].map(url => [`the page ${url}`, { url }, 'bot'] as [string, Partial<SentHit>, Outcome]),
    ['a bot that fetches a URL with utm_source', { url: '/?utm_source=chatgpt.com' }, 'bot'],
    ['a bot that sends a referrer', { referrer: assistants }, 'bot'],
    ['a bot named in small letters', { user_agent: 'gptbot' }, 'bot'],
    ['a token inside a longer word', { user_agent: `${chrome} NotGPTBotClone` }, 'no-assistant'],
    ['a robot that is no AI', { user_agent: googlebot }, 'other-robot'],
    [
      'a robot that is no AI and comes from an assistant',
      { user_agent: googlebot, referrer: assistants },
      'other-robot',
    ],
    ['no user agent', { user_agent: '' }, 'no-user-agent'],
    ['no user agent, from an assistant', { user_agent: '', referrer: assistants }, 'no-user-agent'],
    ['a browser from an assistant', { user_agent: chrome, referrer: assistants }, 'referral'],
    [
      'a browser with the utm_source of an assistant',
      { user_agent: chrome, url: '/?a=1&utm_source=chatgpt.com' },
      'referral',
    ],
    [
      'a browser from its own page, with an old utm_source',
      { user_agent: chrome, url: '/?utm_source=chatgpt.com', referrer: 'https://example.com/a' },
      'own-referrer',
    ],
    [
      'a browser from its own www',
      { user_agent: chrome, referrer: 'https://www.example.com/' },
      'own-referrer',
    ],
    ['a browser from nowhere', { user_agent: chrome }, 'no-assistant'],
    [
      'a browser from a search engine',
      { user_agent: chrome, referrer: 'https://www.google.com/' },
      'no-assistant',
    ],
    [
      'a host that only ends like an assistant',
      { user_agent: chrome, referrer: 'https://notchatgpt.com/' },
      'no-assistant',
    ],
    [
      'a host that only begins like an assistant',
      { user_agent: chrome, referrer: 'https://chatgpt.com.evil.example/' },
      'no-assistant',
    ],
    [
      'an assistant in the query of a referrer',
      { user_agent: chrome, referrer: 'https://evil.example/?u=https://chatgpt.com/' },
      'no-assistant',
    ],
    [
      'an assistant as user name of a URL',
      { user_agent: chrome, referrer: 'https://chatgpt.com@evil.example/' },
      'no-assistant',
    ],
  ]
  for (const [what, facts, outcome] of cases) {
    test(`${what} -> ${outcome}`, async () => {
      const site = await newSite()
      const expected =
        outcome === 'bot'
          ? report(1, 1, 0)
          : outcome === 'referral'
            ? report(1, 0, 1)
            : report(1, 0, 0, { [outcome]: 1 })
      assert.deepEqual(await send(site, { ...read, ...facts }), expected)
    })
  }

  test('every hit is in exactly one of these counts, and the recorded ones are in stats, for any batch', async () => {
    const pick = (name: keyof SentHit) =>
      fc.constantFrom(...cases.map(([, facts]) => ({ ...read, ...facts })[name] ?? null))
    const anyHit = fc.record({
      method: fc.constantFrom('GET', 'HEAD', 'POST'),
      url: fc.oneof(
        pick('url'),
        fc.webUrl(),
        fc.webPath().map(place => place || '/'),
      ) as fc.Arbitrary<string>,
      status: pick('status'),
      user_agent: fc.oneof(pick('user_agent'), fc.string({ maxLength: 30 })) as fc.Arbitrary<string>,
      referrer: fc.oneof(pick('referrer'), fc.webUrl(), fc.string({ maxLength: 20 })),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(anyHit, { maxLength: 60 }), async hits => {
        const site = await newSite()
        const { received, recorded, ignored } = await send(site, hits)
        const reasons = Object.entries(ignored)
        assert.equal(received, hits.length)
        assert.equal(
          recorded.bot + recorded.referral + reasons.reduce((sum, [, count]) => sum + count, 0),
          received,
        )
        for (const [reason, count] of reasons) {
          assert.ok(ignoreReasons.includes(reason as IgnoreReason), reason)
          assert.ok(count > 0, 'reasons that no hit had are left out')
        }
        const { totals } = await site.stats()
        assert.deepEqual(totals, { bot_visits: recorded.bot, referrals: recorded.referral, conversions: 0 })
      }),
      { numRuns: 40 },
    )
  })

  test('bots that the operator has switched off are counted as not-counted-bot', async () => {
    const without = await startServer({ settings: { PUGMARK_EXCLUDED_BOTS: 'GPTBot' } })
    try {
      const site = new SiteClient(without, await addAccount(without.data))
      assert.deepEqual(await send(site, [read, click]), report(2, 0, 1, { 'not-counted-bot': 1 }))
    } finally {
      await without.stop()
    }
  })
})

describe('what a newer tracker or a CDN sends', () => {
  test('a country that is none counts as unknown, and never refuses the batch', async () => {
    const site = await newSite()
    const countries = ['T1', 'XX', 'EU', 'USA', 'de', '']
    const answer = await site.post(
      'hits',
      countries.map((country, i) => ({ ...read, url: `/${i}`, country })),
    )
    assert.equal(answer.status, 200, answer.text)
    const { events } = await site.events()
    const found = new Map(events.map(({ page_path, country }) => [page_path, country]))
    assert.deepEqual(
      countries.map((_, i) => found.get(`/${i}`)),
      ['ZZ', 'ZZ', 'ZZ', 'ZZ', 'DE', 'ZZ'],
    )
  })

  test('fields that this version does not know are passed over, and counted in the health of the data', async () => {
    const site = await newSite()
    const answer = await site.post('hits', [
      { ...read, cookie: 'session=1', tls: 'TLSv1.3' },
      { ...click, bytes: 2_326, duration_ms: 12.4, cookie: 'session=2' },
    ])
    assert.equal(answer.status, 200, answer.text)
    const health = (await site.ask('health')).json<{
      sources: { source: string; unknown_fields: number }[]
    }>()
    assert.deepEqual(
      health.sources.map(({ source, unknown_fields }) => [source, unknown_fields]),
      [['hits', 3]],
    )
  })
})

describe('a hit that is refused', () => {
  const wrong: [what: string, hit: object, field: string][] = [
    ['no url', { user_agent: gptBot }, 'url'],
    ['no user_agent', { url: '/' }, 'user_agent'],
    ['an empty url', { ...read, url: '' }, 'url'],
    ['a url that is no text', { ...read, url: 5 }, 'url'],
    ['a url that is too long', { ...read, url: `/${'x'.repeat(9_000)}` }, 'url'],
    ['a user agent that is null', { ...read, user_agent: null }, 'user_agent'],
    ['a status in quotes', { ...read, status: '200' }, 'status'],
    ['a status that is none', { ...read, status: 20 }, 'status'],
    ['a country that is no text', { ...read, country: 49 }, 'country'],
    ['bytes below zero', { ...read, bytes: -1 }, 'bytes'],
    ['a duration in quotes', { ...read, duration_ms: '12' }, 'duration_ms'],
    ['a timestamp without zone', { ...read, timestamp: '2026-01-31T09:30:00' }, 'timestamp'],
    ['a timestamp in seconds', { ...read, timestamp: 1_769_851_800 }, 'timestamp'],
    [
      'a timestamp more than 24 h ahead',
      { ...read, timestamp: new Date(Date.now() + 86_460_000).toISOString() },
      'timestamp',
    ],
  ]
  for (const [what, hit, field] of wrong) {
    test(`for ${what} is 400 INVALID_EVENT that names index and ${field}, and nothing of its batch is recorded`, async () => {
      const site = await newSite()
      const answer = await site.post('hits', [read, click, read, hit])
      assert.deepEqual([answer.status, errorOf(answer).code], [400, 'INVALID_EVENT'], answer.text)
      assert.ok(errorOf(answer).error.startsWith(`Event 3, ${field}: `), errorOf(answer).error)
      assert.equal((await site.stats()).totals.bot_visits, 0)
    })
  }

  test('for size or form has the same codes as events', async () => {
    const site = await newSite()
    const codeOf = async (body: unknown, headers = {}) => errorOf(await site.post('hits', body, headers)).code
    assert.equal(await codeOf('{'), 'INVALID_JSON')
    assert.equal(await codeOf('x', { 'content-type': 'text/plain' }), 'UNSUPPORTED_MEDIA_TYPE')
    assert.equal(await codeOf(Array.from({ length: 10_001 }, () => read)), 'PAYLOAD_TOO_LARGE')
  })
})
