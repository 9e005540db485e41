/** Every server framework, as a real server of its own process under real requests. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Collector, hang } from './collector.ts'
import { describeTracker } from './contract.ts'
import { installEngines, servers, startHost } from './engines.ts'
import { request } from './request.ts'

await installEngines()

/** Frameworks over Node's own response. */
const countsBytes = new Set(['node:http', 'node:http on Node 18', 'Express', 'Fastify', 'Koa'])

for (const engine of servers) {
  describeTracker(engine, { ip: '127.0.0.1', countsBytes: countsBytes.has(engine.name), hasWebSockets: true })

  describe(`${engine.name} with a difficult collector`, { concurrency: true }, () => {
    test('answers at once while the collector hangs, and says so to no visitor', async t => {
      const collector = await new Collector().start()
      t.after(() => collector.stop())
      collector.behaviour = hang
      const host = await startHost(engine, collector.url)
      t.after(() => host.kill())
      await request(host.port, '/page/warm-up')
      const startMs = performance.now()
      for (let i = 0; i < 50; i++) assert.equal((await request(host.port, '/page')).status, 200)
      const meanMs = (performance.now() - startMs) / 50
      assert.ok(meanMs < 1000, `${meanMs} ms a request`)
    })

    test('delivers what waits when it is told to stop, and ends by itself', async t => {
      const collector = await new Collector().start()
      t.after(() => collector.stop())
      const host = await startHost(engine, collector.url, { FLUSH_INTERVAL_MS: '60000' })
      t.after(() => host.kill())
      for (let i = 0; i < 20; i++) await request(host.port, `/page/${i}`)
      assert.deepEqual(collector.hits, [])
      const { code, tookMs } = await host.stop()
      assert.equal(code, 0)
      assert.ok(tookMs < 10_000, `${tookMs} ms`)
      assert.equal(collector.hits.length, 20)
      assert.equal(collector.deliveries.length, 1)
    })

    test('takes the address that its proxy appends, when told how many proxies there are', async t => {
      const collector = await new Collector().start()
      t.after(() => collector.stop())
      const host = await startHost(engine, collector.url, { TRUST_PROXY: '1' })
      t.after(() => host.kill())
      await request(host.port, '/page/proxied', { 'X-Forwarded-For': '203.0.113.9, 198.51.100.7' })
      assert.equal((await collector.hitFor('/page/proxied')).ip, '198.51.100.7')
    })
  })
}
