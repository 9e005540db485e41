/** GET …/health: what each source delivered, what became of it, and whether anything is arriving (docs/data-health.md). */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { HealthReport } from '../../src/reports/health.ts'
import { addAccount, addSiteTo } from '../support/accounts.ts'
import { ask, errorOf } from '../support/ask.ts'
import { pugmarkJson } from '../support/program.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const server = await startServer({ settings: { PUGMARK_PLAN_FREE_EVENTS_PER_MONTH: '100' } })
after(() => server.stop())
const account = await addAccount(server.data)
const free = await addAccount(server.data, { plan: 'free' })

const gptBot =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.4; +https://openai.com/gptbot'
const read = { url: '/pricing', status: 200, user_agent: gptBot }
const image = { ...read, url: '/logo.png' }

async function newSite(owner = account) {
  const site = await addSiteTo(server.data, owner.email, 'example.com')
  const client = new SiteClient(server, { key: owner.key, site })
  const health = async (): Promise<HealthReport> => {
    const answer = await client.ask('health')
    assert.equal(answer.status, 200, answer.text)
    return answer.json<HealthReport>()
  }
  return {
    site,
    client,
    health,
    /** Checks that every item received is in exactly one of the counts. */
    async sourceNamed(name: string) {
      const found = (await health()).sources.find(({ source }) => source === name)
      assert.ok(found, `nothing from ${name}`)
      const ignored = Object.values(found.ignored).reduce((sum, count) => sum + count, 0)
      assert.equal(found.received, found.recorded + found.counted_once + found.duplicates + ignored)
      return found
    },
  }
}

describe('the health of a site', () => {
  test('to which nothing ever came says so', async () => {
    const { health } = await newSite()
    const { status, message, last_seen, sources } = await health()
    assert.deepEqual(
      [status, message, last_seen, sources],
      ['never', 'Nothing has been received yet.', null, []],
    )
  })

  test('tells what hits became, also of repeats and of batches in which nothing counts', async () => {
    const { client, health, sourceNamed } = await newSite()
    const before = Date.now()
    const timestamp = new Date(before - 25 * 3_600_000).toISOString()
    await client.post('hits', [read, { ...read, timestamp }, image], { 'idempotency-key': 'one' })
    await client.post('hits', [read, { ...read, timestamp }, image], { 'idempotency-key': 'one' })
    await client.post('hits', [
      { ...image, shoe_size: 43 },
      { ...read, method: 'POST' },
    ])
    const { source, status, last_seen, first_seen, longest_pause_seconds, message, ...counts } =
      await sourceNamed('hits')
    assert.deepEqual(
      [source, status, message],
      ['hits', 'receiving', 'Last received less than a minute ago.'],
    )
    assert.ok(Date.parse(first_seen!) >= before && Date.parse(last_seen!) <= Date.now())
    assert.ok(longest_pause_seconds <= 10)
    assert.deepEqual(counts, {
      received: 8,
      recorded: 2,
      counted_once: 0,
      ignored: { 'static-asset': 2, method: 1 },
      duplicates: 3,
      late: 1,
      unknown_fields: 1,
      rejected: { requests: 0, last: null },
      today: { received: 8, recorded: 2, counted_once: 0 },
      last_7_days: { received: 8, recorded: 2, counted_once: 0 },
    })
    const { status: overall, last_seen: last } = await health()
    assert.deepEqual([overall, last], ['receiving', last_seen])
  })

  test('tells what was refused, why and when, of each source', async () => {
    const { client, health, sourceNamed } = await newSite(free)
    const tooMany = Array.from({ length: 101 }, () => read)
    for (const [place, body, code] of [
      ['hits', '{', 'INVALID_JSON'],
      ['hits', [{ url: '/' }], 'INVALID_EVENT'],
      ['hits', tooMany, 'LIMIT_EXCEEDED'],
      ['events', 'x'.repeat(9 * 2 ** 20), 'PAYLOAD_TOO_LARGE'],
    ] as const) {
      assert.equal(errorOf(await client.post(place, body)).code, code)
      const { status, message, rejected } = await sourceNamed(place)
      assert.equal(rejected.last?.code, code)
      assert.ok(Date.now() - Date.parse(rejected.last.at) < 10_000)
      assert.deepEqual(
        [status, message],
        ['failing', `The delivery less than a minute ago was refused with ${code}.`],
      )
    }
    assert.equal((await sourceNamed('hits')).rejected.requests, 3)
    const { status, message } = await health()
    assert.deepEqual(
      [status, message],
      ['never', 'Nothing has been received yet. All deliveries were refused; see the sources.'],
    )
    await client.post('hits', [read])
    const recovered = await sourceNamed('hits')
    assert.deepEqual([recovered.status, recovered.recorded, recovered.rejected.requests], ['receiving', 1, 3])
  })

  test('counts imports, the snippet and events like hits, and what was reported before once', async () => {
    const { site, client, sourceNamed } = await newSite()
    const log = join(temporaryFolder(), 'access.log')
    const line = (url: string): string =>
      `203.0.113.9 - - [10/Nov/2025:13:00:03 +0000] "GET ${url} HTTP/1.1" 200 512 "-" "${gptBot}"\n`
    writeFileSync(log, `${line('/a')}${line('/b')}no line\n${line('/logo.png')}`)
    const hit = { ...read, url: '/a', ip: '203.0.113.9', timestamp: '2025-11-10T13:00:03.400Z' }
    await client.post('hits', hit)
    for (let times = 0; times < 2; times++) await pugmarkJson(server.data, ['import', log, '--site', site.id])
    const imported = await sourceNamed('import')
    assert.deepEqual(
      [imported.received, imported.recorded, imported.counted_once, imported.duplicates],
      [8, 1, 1, 4],
    )
    assert.deepEqual([imported.ignored, imported.late], [{ 'static-asset': 1, malformed: 1 }, 2])
    await client.record([{ type: 'conversion', event_name: 'signup', page_path: '/' }])
    assert.equal((await sourceNamed('events')).recorded, 1)
    const collect = (message: object) =>
      ask(`${server.url}/collect`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', 'user-agent': 'Mozilla/5.0 Chrome/141.0.0.0 Safari/537.36' },
        body: JSON.stringify({ site: site.key, kind: 'landing', url: 'https://example.com/', ...message }),
      })
    await collect({ id: 'message0000000001', referrer: 'https://news.example/' })
    await collect({ id: 'message0000000002', referrer: 'https://chatgpt.com/' })
    await collect({ id: 'message0000000003', referrer: 'https://chatgpt.com/', url: 'https://else.example/' })
    const snippet = await sourceNamed('snippet')
    assert.deepEqual(
      [snippet.received, snippet.recorded, snippet.ignored, snippet.rejected.last?.code],
      [2, 1, { 'no-assistant': 1 }, 'INVALID_EVENT'],
    )
  })

  test('is not told to strangers, and what strangers send is not counted', async () => {
    const { site, client, health } = await newSite()
    for (const key of ['pug_x', free.key]) {
      const answer = await ask(`${client.url}/hits`, { method: 'POST', key, body: '{' })
      assert.ok(answer.status === 401 || answer.status === 403)
    }
    const foreign = await ask(`${server.url}/api/v1/sites/${site.id}/health`, { key: free.key })
    assert.equal(errorOf(foreign).code, 'SITE_NOT_FOUND')
    assert.deepEqual((await health()).sources, [])
  })

  test('is kept when the server stops', async () => {
    const data = temporaryFolder()
    const first = await startServer({ data })
    const { key, site } = await addAccount(data)
    const client = new SiteClient(first, { key, site })
    await client.post('hits', [image])
    await client.post('hits', '{')
    await first.stop()
    const second = await startServer({ data })
    const [found] = (await new SiteClient(second, { key, site }).ask('health')).json<HealthReport>().sources
    assert.deepEqual([found?.ignored, found?.rejected.requests], [{ 'static-asset': 1 }, 1])
    await second.stop()
  })
})
