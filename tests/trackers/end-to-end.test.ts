/** From a request at a host to the answer of the API: every host against a real Pugmark. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { after, describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pugmark } from '../../trackers/src/node.js'
import { createTracker } from '../../trackers/src/tracker.js'
import { addAccount, addKeyTo } from '../support/accounts.ts'
import { sendRaw } from '../support/raw-request.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'
import { edges, installEngines, servers, startHost } from './engines.ts'
import { request } from './request.ts'

await installEngines()
const settings = { PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '1000000' }
const server = await startServer({ settings })
after(() => server.stop())

const chrome =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'

async function siteWithWriteKey() {
  const account = await addAccount(server.data)
  const { key } = await addKeyTo(server.data, account.email, ['write'])
  return { client: new SiteClient(server, account), siteId: account.site.id, writeKey: key }
}

async function untilTotals(client: SiteClient, wished: { bot_visits: number; referrals: number }) {
  const deadlineMs = Date.now() + 20_000
  for (;;) {
    const stats = await client.stats()
    const { bot_visits, referrals } = stats.totals
    if (bot_visits >= wished.bot_visits && referrals >= wished.referrals) return stats
    if (Date.now() > deadlineMs) throw new Error(`in time there were only ${JSON.stringify(stats.totals)}`)
    await sleep(50)
  }
}

describe('what a host sees is what the API answers', { concurrency: 3 }, () => {
  for (const engine of [...servers, ...Object.values(edges)]) {
    test(`on ${engine.name}`, async t => {
      const { client, siteId, writeKey } = await siteWithWriteKey()
      const host = await startHost(engine, server.url, { SITE_ID: siteId, WRITE_KEY: writeKey })
      t.after(() => host.kill())
      await request(host.port, '/page/a?utm_source=chatgpt.com', {
        'User-Agent': 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)',
      })
      await request(host.port, '/page/b', { 'User-Agent': chrome, Referer: 'https://chatgpt.com/' })
      await request(host.port, '/page/c?utm_source=perplexity', { 'User-Agent': chrome })
      for (const [path, headers] of [
        ['/page/d', { 'User-Agent': chrome }],
        ['/page/e', { 'User-Agent': chrome, Referer: 'https://notchatgpt.com/' }],
        ['/moved', { 'User-Agent': 'GPTBot/1.2' }],
        ['/app.css', { 'User-Agent': 'GPTBot/1.2' }],
      ] as const) {
        await request(host.port, path, headers)
      }
      await untilTotals(client, { bot_visits: 1, referrals: 2 })
      // Whatever else was on its way has arrived with these, or 200 ms later.
      await sleep(200)
      const { events } = await client.events()
      assert.deepEqual(
        events
          .map(({ type, page_path, ...rest }) => [
            type,
            page_path,
            'bot_name' in rest ? rest.bot_name : 'source' in rest && rest.source,
          ])
          .sort(),
        [
          ['bot', '/page/a', 'GPTBot'],
          ['referral', '/page/b', 'ChatGPT'],
          ['referral', '/page/c', 'Perplexity'],
        ],
      )
    })
  }
})

/** A server in this process, whose tracker's own counts can be read. */
async function ownHost(t: TestContext, options: Parameters<typeof pugmark>[0]) {
  const track = pugmark(options)
  const host = createServer((incoming, response) => {
    track(incoming, response)
    response.end('page')
  })
  await new Promise<void>(resolve => host.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    host.closeAllConnections()
    host.close()
  })
  return { port: (host.address() as AddressInfo).port, tracker: track.tracker }
}

test('no request that a stranger can send makes the server refuse the batch it is in', async t => {
  const { client, siteId, writeKey } = await siteWithWriteKey()
  const problems: string[] = []
  const { port, tracker } = await ownHost(t, {
    host: server.url,
    siteId,
    key: writeKey,
    trustProxy: 1,
    flushIntervalMs: 60_000,
    onProblem: problem => problems.push(problem),
  })
  const targets = [
    '//evil.example/x',
    '/%',
    '/%ff%00',
    'http://user:pass@other.example/y?z',
    '/\xe4\xf6',
    '/a?b#c',
    '?',
    '/?utm_source=%',
    `/${'x'.repeat(9000)}`,
    '/a"\\b',
    '/[::1]',
    '*',
    'mailto:a@b',
  ]
  const headers = [
    'User-Agent: \xff\xfe"\\\t GPTBot/1.2',
    `User-Agent: ${'u'.repeat(9000)}`,
    'Referer: not a url',
    `Referer: https://${'r'.repeat(5000)}.example/?utm_source=x`,
    'Referer: http://[',
    'X-Forwarded-For: <script>',
    'X-Forwarded-For: 999.999.999.999, fe80::1%eth0',
    `X-Forwarded-For: ${':'.repeat(60)}`,
    'X-Forwarded-For: ,,,',
  ]
  const requests = [
    ...targets.map(target => `GET ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`),
    ...headers.map(header => `GET / HTTP/1.1\r\nHost: h\r\n${header}\r\nConnection: close\r\n\r\n`),
  ]
  await Promise.all(requests.map(bytes => sendRaw(port, Buffer.from(bytes, 'latin1'))))
  await request(port, '/witness', { 'User-Agent': 'GPTBot/1.2' })
  const { queued } = tracker.counts()
  assert.ok(queued >= requests.length - 3, `${queued} of ${requests.length} reached the host's handler`)
  await tracker.flush()
  assert.deepEqual(problems, [])
  assert.deepEqual(tracker.counts(), { queued: 0, delivered: queued, dropped: 0 })
  assert.ok((await client.events()).events.some(({ page_path }) => page_path === '/witness'))
})

test('no country that a network gives makes the server refuse the batch it is in, nor lose the visitor', async () => {
  const { client, siteId, writeKey } = await siteWithWriteKey()
  const problems: string[] = []
  const tracker = createTracker({
    host: server.url,
    siteId,
    key: writeKey,
    onProblem: problem => problems.push(problem),
  })
  // As Cloudflare writes Tor and the unknown, and as others write a region.
  const countries = ['T1', 'XX', 'EU', '', 'DE', undefined]
  for (const [i, country] of countries.entries()) {
    const facts = { method: 'GET', status: 200, bytes: 4, duration_ms: 7, referrer: undefined, ip: undefined }
    tracker.record({ ...facts, url: `/${i}`, user_agent: 'GPTBot/1.2', country, timestamp: Date.now() })
  }
  await tracker.close()
  assert.deepEqual(problems, [])
  const { events } = await client.events()
  assert.equal(events.length, countries.length)
  assert.deepEqual(
    ['/0', '/3', '/4', '/5'].map(path => events.find(({ page_path }) => page_path === path)?.country),
    ['ZZ', 'ZZ', 'DE', 'ZZ'],
  )
})

test('a wrong key is told to the host, in the words of the server', async t => {
  const { siteId } = await siteWithWriteKey()
  const problems: string[] = []
  const { port, tracker } = await ownHost(t, {
    host: server.url,
    siteId,
    key: 'pug_wrong',
    onProblem: problem => problems.push(problem),
  })
  await request(port, '/')
  await tracker.flush()
  assert.match(problems[0] ?? '', /^1 hit dropped: HTTP 401 .*INVALID_KEY/)
})

test('every hit counts once while the server is killed and started again under traffic', async t => {
  const { client, siteId, writeKey } = await siteWithWriteKey()
  const doomed = await startServer({ data: server.data, settings })
  const door = await openDoor(t, doomed.port)
  const { port, tracker } = await ownHost(t, {
    host: door.url,
    siteId,
    key: writeKey,
    flushIntervalMs: 20,
    batchSize: 25,
    onProblem: () => {},
  })
  const send = async (count: number) => {
    for (let i = 0; i < count; i++) await request(port, '/page', { 'User-Agent': 'GPTBot/1.2' })
  }
  await Promise.all([send(300), sleep(150).then(() => doomed.kill())])
  await send(50)
  const revived = await startServer({ data: server.data, settings })
  door.leadTo(revived.port)
  await send(50)
  while (tracker.counts().queued > 0) await tracker.flush()
  assert.deepEqual(tracker.counts(), { queued: 0, delivered: 400, dropped: 0 })
  assert.equal((await client.stats()).totals.bot_visits, 400)
  await revived.stop()
})

/** One address that leads to a port which can change, as a proxy in front of a server has it. */
async function openDoor(t: TestContext, firstPort: number) {
  let port = firstPort
  const sockets = new Set<Socket>()
  const door = createTcpServer(incoming => {
    const outgoing = connect(port, '127.0.0.1')
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        incoming.destroy()
        outgoing.destroy()
      })
    }
    incoming.pipe(outgoing).pipe(incoming)
  })
  await new Promise<void>(resolve => door.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    door.close()
  })
  return {
    url: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
    leadTo(next: number) {
      port = next
    },
  }
}
