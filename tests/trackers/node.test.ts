/** What only Node's own servers do: several of them, HTTP/2, and closing. */
import assert from 'node:assert/strict'
import http from 'node:http'
import http2 from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { type TestContext, test } from 'node:test'
import { pugmark } from '../../trackers/src/node.js'
import { Collector } from './collector.ts'
import { request } from './request.ts'

async function trackerAndCollector(t: TestContext, flushIntervalMs: number) {
  const collector = await new Collector().start()
  t.after(() => collector.stop())
  const track = pugmark({ host: collector.url, siteId: 'site_test', key: 'pug_test', flushIntervalMs })
  return { collector, track }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

test('several servers may share a tracker, and each has one listener of it', async t => {
  const { collector, track } = await trackerAndCollector(t, 60_000)
  const servers = [1, 2].map(() =>
    http.createServer((incoming, response) => {
      track(incoming, response)
      response.end('page')
    }),
  )
  const ports = await Promise.all(servers.map(listen))
  const before = servers.map(server => server.listenerCount('close'))
  for (let i = 0; i < 20; i++) await request(ports[i % 2]!, `/${i}`)
  assert.deepEqual(
    servers.map((server, i) => server.listenerCount('close') - before[i]!),
    [1, 1],
  )
  servers[0]!.close()
  await collector.until(hits => hits.length === 20)
  servers[1]!.close()
})

test('requests over HTTP/2 are reported as others are', async t => {
  const { collector, track } = await trackerAndCollector(t, 20)
  const server = http2.createServer((incoming, response) => {
    track(incoming as never, response as never)
    response.statusCode = 404
    response.end('nothing')
  })
  const client = http2.connect(`http://127.0.0.1:${await listen(server)}`)
  t.after(() => {
    client.close()
    server.close()
  })
  const stream = client.request({
    ':path': '/two?ref=x',
    'user-agent': 'GPTBot/1.2',
    referer: 'https://chatgpt.com/',
  })
  for await (const _ of stream.resume());
  const { timestamp: _, duration_ms: duration, ...facts } = await collector.hitFor('/two')
  assert.ok(duration! >= 0)
  assert.deepEqual(facts, {
    method: 'GET',
    url: '/two?ref=x',
    status: 404,
    user_agent: 'GPTBot/1.2',
    referrer: 'https://chatgpt.com/',
    ip: '127.0.0.1',
  })
})

test('the bytes of each response are told apart on a connection that stays open', async t => {
  const { collector, track } = await trackerAndCollector(t, 20)
  const big = 'x'.repeat(300_000)
  const server = http.createServer((incoming, response) => {
    track(incoming, response)
    if (incoming.url === '/empty') response.writeHead(304).end()
    else if (incoming.url === '/chunks') {
      response.write(big)
      setImmediate(() => response.end(big))
    } else response.end(big)
  })
  const port = await listen(server)
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => {
    agent.destroy()
    server.close()
  })
  for (const path of ['/whole', '/empty', '/chunks', '/whole-again']) {
    await new Promise(resolve => {
      http.get({ port, path, agent }, response => response.resume().on('end', resolve))
    })
  }
  const bytesOf = async (path: string) => (await collector.hitFor(path)).bytes!
  assert.equal(await bytesOf('/whole'), big.length)
  assert.equal(await bytesOf('/empty'), 0)
  assert.equal(await bytesOf('/whole-again'), big.length)
  // With what a chunked body puts around its chunks.
  const chunked = (await bytesOf('/chunks')) - 2 * big.length
  assert.ok(chunked > 0 && chunked < 50, `${chunked} bytes more`)
})

test('a site that only people visit shows a sign of life, once a minute', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_700_000_000_000 })
  const { track } = await trackerAndCollector(t, 60_000)
  const server = http.createServer((incoming, response) => {
    track(incoming, response)
    response.end('page')
  })
  const port = await listen(server)
  const person = {
    'User-Agent':
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  }
  const queuedAfterThree = async () => {
    for (let i = 0; i < 3; i++) await request(port, '/', person)
    return track.tracker.counts().queued
  }
  assert.equal(await queuedAfterThree(), 1)
  t.mock.timers.tick(59_999)
  assert.equal(await queuedAfterThree(), 1)
  t.mock.timers.tick(1)
  assert.equal(await queuedAfterThree(), 2)
  await new Promise(resolve => server.close(resolve))
})

test('a middleware passes on to the next at once, and what that throws reaches the host', async t => {
  const { track } = await trackerAndCollector(t, 20)
  const incoming = new http.IncomingMessage(null as never)
  const response = new http.ServerResponse(incoming)
  assert.throws(
    () =>
      track(incoming, response, () => {
        throw new Error("the host's own")
      }),
    /the host's own/,
  )
})
