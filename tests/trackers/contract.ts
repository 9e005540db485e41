/** What a tracker promises on every host: a suite that each host passes, with what the host tells of a client by itself. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Collector } from './collector.ts'
import { type Engine, type Host, startHost } from './engines.ts'
import { abortedRequest, echoOverWebSocket, request } from './request.ts'

export interface Expectations {
  /** The client's address as the host knows it; undefined where it knows none. */
  readonly ip: string | undefined
  readonly country?: string
  /** Headers that the platform in front of the host writes. */
  readonly platformHeaders?: Record<string, string>
  /** Whether the host knows the size of a body that the response does not tell by a header. */
  readonly countsBytes: boolean
  readonly hasWebSockets: boolean
}

const plainBrowser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'

export function describeTracker(engine: Engine, expected: Expectations): void {
  describe(`the tracker on ${engine.name}`, { concurrency: true }, () => {
    const collector = new Collector()
    let host: Host
    before(async () => {
      await collector.start()
      host = await startHost(engine, collector.url)
    })
    after(async () => {
      host.kill()
      await collector.stop()
    })

    test('reports method, url, status, size, duration, user agent, referrer, address and time, and nothing else', async () => {
      const beforeMs = Date.now()
      const answer = await request(host.port, '/page/facts?utm_source=chatgpt.com&session=private', {
        'User-Agent': 'Mozilla/5.0 (compatible; GPTBot/1.2)',
        Referer: 'https://chatgpt.com/',
        Cookie: 'session=private',
        Authorization: 'Bearer private',
        ...expected.platformHeaders,
      })
      assert.equal(answer.body, 'page')
      const { timestamp, duration_ms, ...facts } = await collector.hitFor('/page/facts')
      assert.deepEqual(facts, {
        method: 'GET',
        url: '/page/facts?utm_source=chatgpt.com',
        status: 200,
        user_agent: 'Mozilla/5.0 (compatible; GPTBot/1.2)',
        referrer: 'https://chatgpt.com/',
        ...(expected.countsBytes && { bytes: 'page'.length }),
        ...(expected.ip && { ip: expected.ip }),
        ...(expected.country && { country: expected.country }),
      })
      assert.ok(Date.parse(timestamp) >= beforeMs && Date.parse(timestamp) <= Date.now(), timestamp)
      assert.match(timestamp, /Z$/)
      assert.ok(Number.isInteger(duration_ms) && duration_ms! >= 0 && duration_ms! < 10_000, `${duration_ms}`)
    })

    test('reports the bytes of a body whose size is known, and none for HEAD', async () => {
      const { body } = await request(host.port, '/sized')
      assert.equal((await collector.hitFor('/sized')).bytes, body.length)
      await request(host.port, '/page/head', {}, 'HEAD')
      assert.equal((await collector.hitFor('/page/head')).bytes, 0)
    })

    test('reports how long a response took', async () => {
      await request(host.port, '/slow')
      const { duration_ms } = await collector.hitFor('/slow')
      // Timers and clocks may differ by a millisecond.
      assert.ok(duration_ms! >= 49 && duration_ms! < 5_000, `${duration_ms} ms`)
    })

    test('posts to the site with the key, and never a cookie or authorization of a visitor', async () => {
      await request(host.port, '/page/delivery', { Cookie: 'a=private', Authorization: 'Bearer private' })
      await collector.hitFor('/page/delivery')
      for (const delivery of collector.deliveries) {
        assert.equal(delivery.path, '/api/v1/sites/site_test/hits')
        assert.equal(delivery.headers.authorization, 'Bearer pug_test')
        assert.equal(delivery.headers.cookie, undefined)
        assert.ok(!delivery.body.includes('private'), delivery.body)
      }
    })

    test('reports the status of pages that are missing, moved and broken', async () => {
      for (const [path, status] of [
        ['/missing', 404],
        ['/moved', 302],
        ['/boom', 500],
      ] as const) {
        assert.equal((await request(host.port, path)).status, status, path)
        assert.equal((await collector.hitFor(path)).status, status, path)
      }
    })

    test('leaves out static assets, forms, and paths that the host ignores', async () => {
      assert.equal((await request(host.port, '/form', {}, 'POST')).status, 201)
      for (const path of ['/app.css', '/a/logo.PNG?v=1', '/private/area']) await request(host.port, path)
      await request(host.port, '/page/last', {}, 'HEAD')
      assert.equal((await collector.hitFor('/page/last')).method, 'HEAD')
      const urls = collector.hits.map(hit => hit.url)
      assert.deepEqual(
        urls.filter(url => /form|css|PNG|private/.test(url)),
        [],
      )
    })

    test('leaves out people who come from nowhere or from the same site, once it has reported anything', async () => {
      const person = { 'User-Agent': plainBrowser }
      await request(host.port, '/page/before-person', { 'User-Agent': 'GPTBot/1.2' })
      await collector.hitFor('/page/before-person')
      await request(host.port, '/page/person', person)
      await request(host.port, '/page/person-within', {
        ...person,
        Referer: `http://127.0.0.1:${host.port}/page`,
      })
      await request(host.port, '/page/person-sent', { ...person, Referer: 'https://chatgpt.com/' })
      await request(host.port, '/page/person-marked?utm_source=openai', person)
      await collector.hitFor('/page/person-sent')
      await collector.hitFor('/page/person-marked')
      const urls = collector.hits.map(({ url }) => url)
      assert.ok(!urls.includes('/page/person') && !urls.includes('/page/person-within'), urls.join(' '))
    })

    test('believes no X-Forwarded-For unless told to', async () => {
      await request(host.port, '/page/spoofed', {
        'X-Forwarded-For': '203.0.113.9',
        ...expected.platformHeaders,
      })
      assert.equal((await collector.hitFor('/page/spoofed')).ip, expected.ip)
    })

    test('lets a streamed response through piece by piece', async () => {
      const answer = await request(host.port, '/stream')
      assert.equal(answer.body, 'one,two,three')
      assert.ok(answer.pieces.length > 1, 'the pieces came one by one')
      assert.equal((await collector.hitFor('/stream')).status, 200)
    })

    test('survives a client that breaks off', async () => {
      await abortedRequest(host.port, '/hang?utm_source=openai', 50)
      assert.equal((await request(host.port, '/page/after-abort')).status, 200)
      await collector.hitFor('/page/after-abort')
      const aborted = collector.hits.filter(hit => hit.url.startsWith('/hang'))
      assert.ok(aborted.every(hit => hit.status === undefined))
    })

    if (!expected.hasWebSockets) return
    test('leaves WebSockets alone and does not report them', async () => {
      assert.equal(await echoOverWebSocket(host.port, '/echo', 'hello'), 'hello')
      await request(host.port, '/page/after-echo')
      await collector.hitFor('/page/after-echo')
      assert.ok(!collector.hits.some(hit => hit.url.startsWith('/echo')))
    })
  })
}
