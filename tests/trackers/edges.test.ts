/** Every edge, in the runtime that its vendor publishes, under real requests. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answer, Collector, hang } from './collector.ts'
import { describeTracker } from './contract.ts'
import { edges, installEngines, startHost } from './engines.ts'
import { request } from './request.ts'

await installEngines()

// workerd fills these in for a request from this machine.
describeTracker(edges.cloudflare, { ip: '127.0.0.1', country: 'US', countsBytes: false, hasWebSockets: true })
describeTracker(edges.honoWorker, {
  ip: '127.0.0.1',
  country: 'US',
  countsBytes: false,
  hasWebSockets: false,
})
describeTracker(edges.vercel, {
  ip: '192.0.2.7',
  country: 'BR',
  platformHeaders: { 'X-Real-Ip': '192.0.2.7', 'X-Vercel-Ip-Country': 'BR' },
  countsBytes: false,
  hasWebSockets: false,
})
describeTracker(edges.netlify, { ip: '192.0.2.44', country: 'PT', countsBytes: false, hasWebSockets: false })

for (const engine of Object.values(edges)) {
  describe(`${engine.name} with a difficult collector`, { concurrency: true }, () => {
    test('sends requests that come close together in one delivery', async t => {
      const collector = await new Collector().start()
      t.after(() => collector.stop())
      const host = await startHost(engine, collector.url, { FLUSH_INTERVAL_MS: '500' })
      t.after(() => host.kill())
      await Promise.all(Array.from({ length: 30 }, (_, i) => request(host.port, `/page/${i}`)))
      await collector.until(hits => hits.length === 30)
      assert.ok(collector.deliveries.length <= 3, `${collector.deliveries.length} deliveries`)
    })

    test('tries again under the same key, within the life of the request', async t => {
      const collector = await new Collector().start()
      t.after(() => collector.stop())
      const accept = collector.behaviour
      collector.behaviour = (delivery, response) => {
        collector.behaviour = accept
        return answer(503)(delivery, response)
      }
      const host = await startHost(engine, collector.url)
      t.after(() => host.kill())
      await request(host.port, '/page')
      await collector.hitFor('/page')
      const keys = collector.deliveries.map(delivery => delivery.headers['idempotency-key'])
      assert.equal(keys.length, 2)
      assert.equal(keys[0], keys[1])
    })

    test('answers at once while the collector hangs', async t => {
      const collector = await new Collector().start()
      t.after(() => collector.stop())
      collector.behaviour = hang
      const host = await startHost(engine, collector.url)
      t.after(() => host.kill())
      await request(host.port, '/page/warm-up')
      const startMs = performance.now()
      for (let i = 0; i < 20; i++) assert.equal((await request(host.port, '/page')).status, 200)
      assert.ok(performance.now() - startMs < 20_000)
    })
  })
}
