/** The tracker as the proxy of a Next.js site, in Next's own development server. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accept, Collector, hang } from './collector.ts'
import { type Host, installEngines, next, startHost } from './engines.ts'
import { request } from './request.ts'

await installEngines()

describe('the tracker on Next.js', () => {
  const collector = new Collector()
  let host: Host
  before(async () => {
    await collector.start()
    host = await startHost(next, collector.url, { TRUST_PROXY: '1' })
    // The first request of a development server waits for its compiler.
    await request(host.port, '/page')
  })
  after(async () => {
    await host.stop()
    await collector.stop()
  })

  test('reports pages, and nothing private; the status is not known before the page has run', async () => {
    const answer = await request(host.port, '/page/facts?utm_source=chatgpt.com&session=private', {
      'User-Agent': 'GPTBot/1.2',
      Referer: 'https://chatgpt.com/',
      Cookie: 'session=private',
      Authorization: 'Bearer private',
    })
    assert.equal(answer.status, 200)
    const { timestamp, ...facts } = await collector.hitFor('/page/facts')
    assert.deepEqual(facts, {
      method: 'GET',
      url: '/page/facts?utm_source=chatgpt.com',
      user_agent: 'GPTBot/1.2',
      referrer: 'https://chatgpt.com/',
      // What Next itself writes where no proxy has written one.
      ip: '127.0.0.1',
    })
    assert.ok(Date.now() - Date.parse(timestamp) < 30_000)
    const [delivery] = collector.deliveries
    assert.equal(delivery?.headers.authorization, 'Bearer pug_test')
    assert.ok(collector.deliveries.every(({ body }) => !body.includes('private')))
  })

  test('takes the address that the proxy in front appends', async () => {
    await request(host.port, '/page/proxied', { 'X-Forwarded-For': '203.0.113.9, 198.51.100.7' })
    assert.equal((await collector.hitFor('/page/proxied')).ip, '198.51.100.7')
  })

  test("reports the status of what the site's own proxy answers", async () => {
    assert.equal((await request(host.port, '/moved')).status, 307)
    assert.equal((await collector.hitFor('/moved')).status, 307)
  })

  test("leaves out Next's files, and what its client fetches while a visitor moves about", async () => {
    const page = await request(host.port, '/page/source')
    const file = /"(\/_next\/[^"]+)"/.exec(page.body)?.[1] ?? ''
    assert.equal((await request(host.port, file)).status, 200)
    await request(host.port, '/page/fetched', { RSC: '1' })
    await request(host.port, '/page/prefetched', { RSC: '1', 'Next-Router-Prefetch': '1' })
    await request(host.port, '/page/last')
    await collector.hitFor('/page/last')
    assert.ok(!collector.hits.some(({ url }) => /_next|fetched/.test(url)))
  })

  test('answers at once while the collector hangs', async () => {
    collector.behaviour = hang
    const startMs = performance.now()
    for (let i = 0; i < 10; i++) assert.equal((await request(host.port, '/page')).status, 200)
    assert.ok(performance.now() - startMs < 20_000)
    collector.behaviour = accept
  })
})
