/** GET /pugmark.js and POST /collect: the browser snippet is served, and its messages count what trackers/browser/PROTOCOL.md says. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { addAccount, addSiteTo } from '../support/accounts.ts'
import { type Answer, ask, errorOf } from '../support/ask.ts'
import { startServer } from '../support/server.ts'

const server = await startServer({ settings: { PUGMARK_PLAN_FREE_EVENTS_PER_MONTH: '2' } })
after(() => server.stop())
const account = await addAccount(server.data)

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
const gptBot =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.4; +https://openai.com/gptbot'
const fromChatGpt = {
  referrer: 'https://chatgpt.com/',
  url: 'https://www.example.com/pricing?utm_source=chatgpt.com',
}

let sent = 0
const newId = (): string => `message${String(++sent).padStart(10, '0')}`

async function newSite() {
  const site = await addSiteTo(server.data, account.email, 'example.com')
  const get = (report: string): Promise<Answer> =>
    ask(`${server.url}/api/v1/sites/${site.id}/${report}`, { key: account.key })
  const collect = (
    message: Record<string, unknown>,
    headers: Record<string, string> = { 'user-agent': chrome },
  ): Promise<Answer> =>
    ask(`${server.url}/collect`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain;charset=UTF-8', ...headers },
      body: JSON.stringify({ site: site.key, id: newId(), url: fromChatGpt.url, ...message }),
    })
  const totals = async () => (await get('stats')).json<{ totals: object }>().totals
  return { get, collect, totals }
}

const landing = { kind: 'landing', ...fromChatGpt }
const purchase = { kind: 'conversion', name: 'purchase', value: 49.9, touches: [fromChatGpt] }

describe('GET /pugmark.js', () => {
  test('is the snippet, for pages of any origin to load', async () => {
    const answer = await ask(`${server.url}/pugmark.js`)
    assert.equal(answer.status, 200)
    assert.equal(answer.text, readFileSync('trackers/browser/pugmark.min.js', 'utf8'))
    assert.match(String(answer.headers['content-type']), /^text\/javascript/)
    assert.equal(answer.headers['cross-origin-resource-policy'], 'cross-origin')
  })
})

describe('POST /collect', () => {
  test('a landing that an assistant sent is a referral, and any page may read the answer', async () => {
    const { get, collect, totals } = await newSite()
    const answer = await collect(landing)
    assert.equal(answer.status, 204, answer.text)
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    assert.deepEqual(await totals(), { bot_visits: 0, referrals: 1, conversions: 0 })
    const [event] = (await get('events')).json<{ events: Record<string, unknown>[] }>().events
    assert.equal(event?.source, 'ChatGPT')
    assert.equal(event?.page_path, '/pricing')
  })

  test('a landing from elsewhere counts nothing, and neither does a bot', async () => {
    const { collect, totals } = await newSite()
    assert.equal(
      (await collect({ ...landing, referrer: 'https://news.example/', url: 'https://example.com/' })).status,
      204,
    )
    assert.equal((await collect(landing, { 'user-agent': gptBot })).status, 204)
    assert.deepEqual(await totals(), { bot_visits: 0, referrals: 0, conversions: 0 })
  })

  test('a conversion counts with its value', async () => {
    const { get, collect } = await newSite()
    assert.equal((await collect(purchase)).status, 204)
    assert.equal((await collect({ ...purchase, value: null, touches: [] })).status, 204)
    assert.deepEqual((await get('stats')).json<{ conversion_breakdown: object }>().conversion_breakdown, [
      { event_name: 'purchase', count: 2, value: 49.9 },
    ])
  })

  test('a message that comes twice counts once', async () => {
    const { collect, totals } = await newSite()
    const message = { ...purchase, id: newId() }
    assert.equal((await collect(message)).status, 204)
    assert.equal((await collect(message)).status, 204)
    assert.deepEqual(await totals(), { bot_visits: 0, referrals: 0, conversions: 1 })
  })

  test('the key of a site counts for pages of its domain only', async () => {
    const { collect, totals } = await newSite()
    const elsewhere = await collect({ ...purchase, url: 'https://example.com.evil.example/' })
    assert.deepEqual([elsewhere.status, errorOf(elsewhere).code], [400, 'INVALID_EVENT'])
    const foreign = await collect(purchase, { 'user-agent': chrome, origin: 'https://evil.example' })
    assert.deepEqual([foreign.status, errorOf(foreign).code], [403, 'SITE_NOT_FOUND'])
    const unknown = await collect({ ...purchase, site: 'ak_unknown' })
    assert.deepEqual([unknown.status, errorOf(unknown).code], [403, 'SITE_NOT_FOUND'])
    assert.deepEqual(await totals(), { bot_visits: 0, referrals: 0, conversions: 0 })
  })

  test('what is malformed is refused by name', async () => {
    const { collect } = await newSite()
    for (const [wrong, named] of [
      [{ ...landing, kind: 'bot' }, /kind/],
      [{ ...purchase, id: 'X' }, /id/],
      [{ ...purchase, value: 'much' }, /value/],
      [{ ...purchase, touches: Array(6).fill(fromChatGpt) }, /touches/],
    ] as const) {
      const answer = await collect(wrong)
      assert.deepEqual([answer.status, errorOf(answer).code], [400, 'INVALID_EVENT'])
      assert.match(errorOf(answer).error, named)
    }
    const text = await ask(`${server.url}/collect`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: '{',
    })
    assert.deepEqual([text.status, errorOf(text).code], [400, 'INVALID_JSON'])
  })

  test('the quota of the account holds', async () => {
    const free = await addAccount(server.data, { plan: 'free' })
    const collect = () =>
      ask(`${server.url}/collect`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', 'user-agent': chrome },
        body: JSON.stringify({ ...purchase, site: free.site.key, id: newId(), url: fromChatGpt.url }),
      })
    assert.deepEqual([(await collect()).status, (await collect()).status], [204, 204])
    const over = await collect()
    assert.deepEqual([over.status, errorOf(over).code], [429, 'LIMIT_EXCEEDED'])
  })
})
