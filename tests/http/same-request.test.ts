/** One request that a middleware, an access log and the browser snippet all report is counted once (docs/data-health.md). */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { addAccount, addSiteTo } from '../support/accounts.ts'
import { ask } from '../support/ask.ts'
import { pugmarkJson } from '../support/program.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// Visitors stand behind a proxy on this machine, so that each can have an address of his own.
const server = await startServer({ settings: { PUGMARK_TRUST_PROXY: 'loopback' } })
after(() => server.stop())
const account = await addAccount(server.data)

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
const gptBot =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.4; +https://openai.com/gptbot'
const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

interface Request {
  readonly address: string
  readonly userAgent: string
  readonly url: string
  readonly referrer: string
}

async function newSite() {
  const site = await addSiteTo(server.data, account.email, 'example.com')
  const client = new SiteClient(server, { key: account.key, site })
  let messages = 0
  return {
    client,
    total: async () => (await client.stats()).totals,
    async byMiddleware({ address, userAgent, url, referrer }: Request, at = Date.now()): Promise<void> {
      const timestamp = new Date(at).toISOString()
      const hit = { url, status: 200, user_agent: userAgent, referrer, ip: address, timestamp }
      assert.equal((await client.post('hits', hit)).status, 200)
    },
    async bySnippet({ address, userAgent, url, referrer }: Request): Promise<void> {
      const id = `message${String(++messages).padStart(10, '0')}`
      const message = { kind: 'landing', site: site.key, id, url: `https://www.example.com${url}`, referrer }
      const answer = await ask(`${server.url}/collect`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', 'user-agent': userAgent, 'x-forwarded-for': address },
        body: JSON.stringify(message),
      })
      assert.equal(answer.status, 204, answer.text)
    },
    async byLog(requests: readonly (Request & { readonly at?: number })[]): Promise<void> {
      const lines = requests.map(({ address, userAgent, url, referrer, at = Date.now() }) => {
        const [date, time] = new Date(at).toISOString().slice(0, 19).split('T')
        const [year, month, day] = date!.split('-')
        const moment = `${day}/${months[Number(month) - 1]}/${year}:${time} +0000`
        return `${address} - - [${moment}] "GET ${url} HTTP/2" 200 512 "${referrer}" "${userAgent}"\n`
      })
      const file = join(temporaryFolder(), 'access.log')
      writeFileSync(file, lines.join(''))
      await pugmarkJson(server.data, ['import', file, '--site', site.id])
    },
  }
}

const click: Request = {
  address: '198.51.100.7',
  userAgent: chrome,
  url: '/pricing?utm_source=chatgpt.com',
  referrer: 'https://chatgpt.com/',
}

test('a visitor from chatgpt.com whom the middleware and the snippet see is one referral', async () => {
  const { total, byMiddleware, bySnippet, client } = await newSite()
  await byMiddleware(click)
  await bySnippet(click)
  assert.deepEqual(await total(), { bot_visits: 0, referrals: 1, conversions: 0 })
  assert.equal((await client.allEvents()).length, 1)
  // He comes again: both see him again.
  await bySnippet(click)
  await byMiddleware(click)
  assert.deepEqual(await total(), { bot_visits: 0, referrals: 2, conversions: 0 })
})

test('two visitors from chatgpt.com, one seen by the middleware and one by the snippet, are two', async () => {
  for (const other of [
    { address: '198.51.100.8' },
    { userAgent: `${chrome} Edg/141.0` },
    { url: '/other' },
  ]) {
    const { total, byMiddleware, bySnippet } = await newSite()
    await byMiddleware(click)
    await bySnippet({ ...click, ...other })
    assert.equal((await total()).referrals, 2, JSON.stringify(other))
  }
})

test('a log that is imported later adds only what nobody had reported', async () => {
  const { total, byMiddleware, bySnippet, byLog } = await newSite()
  const bot = (n: number): Request => ({
    address: `203.0.113.${n}`,
    userAgent: gptBot,
    url: `/docs/${n}`,
    referrer: '',
  })
  const start = Date.now() - 60_000
  const all = Array.from({ length: 20 }, (_, n) => ({ ...bot(n), at: start + n * 700 }))
  for (const { at, ...request } of all.slice(0, 12)) await byMiddleware(request, at)
  await bySnippet(click)
  await byLog([...all, click])
  assert.deepEqual(await total(), { bot_visits: 20, referrals: 1, conversions: 0 })
})

test('no address is kept', async () => {
  const { byMiddleware } = await newSite()
  await byMiddleware({ ...click, address: '198.51.100.213' })
  for (const name of ['pugmark.db', 'pugmark.db-wal'])
    assert.ok(!readFileSync(join(server.data, name)).includes('198.51.100.213'), name)
})
