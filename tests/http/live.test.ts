/** Answers are live: what was acknowledged is in every later answer, ETag says when nothing changed, and browsers anywhere may ask. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { addAccount, addSiteTo } from '../support/accounts.ts'
import { type Answer, ask } from '../support/ask.ts'
import { startClockedServer } from '../support/clocked-server.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'

const server = await startServer({ settings: { PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '1000000' } })
after(() => server.stop())
const account = await addAccount(server.data)
const newSite = async (): Promise<SiteClient> => {
  const site = await addSiteTo(server.data, account.email, 'live.example')
  return new SiteClient(server, { key: account.key, site })
}
const visit = { type: 'referral', source: 'ChatGPT', page_path: '/' }
const reads = ['stats', 'timeseries', 'timeseries?granularity=hour', 'events', 'breakdown?dimension=page']

describe('a recorded event', () => {
  test('is in every answer asked for after the response that acknowledged it, a hundred times in a row', async () => {
    const site = await newSite()
    for (let n = 1; n <= 100; n++) {
      await site.record([visit])
      const [stats, series, list] = await Promise.all([
        site.stats(),
        site.timeseries(),
        site.events({ limit: 1_000 }),
      ])
      assert.deepEqual([stats.totals.referrals, series.data.at(-1)!.referrals, list.events.length], [n, n, n])
    }
  })

  test('of any of many connections at once is seen by its sender at once', async () => {
    const site = await newSite()
    let acknowledged = 0
    const sender = async () => {
      for (let n = 0; n < 20; n++) {
        await site.record([visit])
        acknowledged++
        const atLeast = acknowledged
        const { totals } = await site.stats()
        assert.ok(totals.referrals >= atLeast, `${totals.referrals} of ${atLeast}`)
      }
    }
    await Promise.all(Array.from({ length: 8 }, sender))
    assert.equal((await site.stats()).totals.referrals, 160)
  })

  test('of the past or the next day is in the answers for its day', async () => {
    const site = await newSite()
    await site.stats({ start: '2020-02-02', end: '2020-02-02' })
    await site.record([{ ...visit, created_at: '2020-02-02T02:02:02Z' }])
    assert.equal((await site.stats({ start: '2020-02-02', end: '2020-02-02' })).totals.referrals, 1)
  })

  test('that another server on the same data recorded is there too', async () => {
    const second = await startServer({ data: server.data })
    try {
      const here = await newSite()
      const there = new SiteClient(second, { key: here.key, site: { id: here.url.split('/').at(-1)! } })
      for (let n = 1; n <= 20; n++) {
        await (n % 2 ? here : there).record([visit])
        assert.equal((await (n % 2 ? there : here).stats()).totals.referrals, n)
      }
    } finally {
      await second.stop()
    }
  })
})

describe('ETag', () => {
  test('comes with Cache-Control: private, no-cache on every read, and with If-None-Match gives 304 without a body', async () => {
    const site = await newSite()
    const sites = {
      ask: (_: string, question = {}) => ask(`${server.url}/api/v1/sites`, { key: site.key, ...question }),
    }
    for (const [client, place] of [...reads.map(place => [site, place] as const), [sites, ''] as const]) {
      const first = await client.ask(place)
      assert.equal(first.headers['cache-control'], 'private, no-cache', place)
      const etag = first.headers.etag!
      assert.match(etag, /^(W\/)?"[\x21\x23-\x7e]+"$/)
      for (const condition of [etag, etag.replace('W/', ''), `"other", ${etag}`, `${etag},"other"`, '*']) {
        const unchanged = await client.ask(place, { headers: { 'if-none-match': condition } })
        assert.deepEqual(
          [unchanged.status, unchanged.text, unchanged.headers.etag],
          [304, '', etag],
          condition,
        )
        assert.equal(unchanged.headers['cache-control'], 'private, no-cache')
      }
      for (const condition of ['"other"', 'W/"x"', '', etag.slice(0, -2)])
        assert.equal(
          (await client.ask(place, { headers: { 'if-none-match': condition } })).status,
          200,
          condition,
        )
    }
  })

  test('changes with every event that is recorded, and with nothing else', async () => {
    const [site, other] = [await newSite(), await newSite()]
    const tagOf = async (place: string) => (await site.ask(place)).headers.etag
    for (const place of reads) {
      const before = await tagOf(place)
      await other.record([visit])
      assert.equal(await tagOf(place), before, 'another site')
      await site.record([])
      await site.record([{ ...visit, created_at: '2020-02-02T02:02:02Z' }])
      assert.notEqual(await tagOf(place), before)
      const changed = await site.ask(place, { headers: { 'if-none-match': before } })
      assert.equal(changed.status, 200)
    }
  })

  test('never gives 304 to a wrong request', async () => {
    const site = await newSite()
    for (const place of ['stats?start=x', 'events?limit=0', 'timeseries?granularity=x'])
      assert.equal((await site.ask(place, { headers: { 'if-none-match': '*' } })).status, 400)
  })

  test('of a default range changes at midnight UTC, since the answer does', async () => {
    const clocked = await startClockedServer({ now: '2026-03-10T23:59:59Z' })
    try {
      const site = new SiteClient(clocked, await addAccount(clocked.data))
      for (const place of reads) {
        clocked.now = Date.parse('2026-03-10T23:59:59Z')
        const { headers, text } = await site.ask(place)
        clocked.now += 1_000
        const after = await site.ask(place, { headers: { 'if-none-match': headers.etag } })
        assert.equal(after.status, 200, place)
        if (!place.startsWith('events')) assert.notEqual(after.text, text)
      }
    } finally {
      await clocked.stop()
    }
  })
})

describe('HEAD', () => {
  test('answers as GET does, without the body', async () => {
    const site = await newSite()
    for (const place of reads) {
      const [get, head] = [await site.ask(place), await site.ask(place, { method: 'HEAD' })]
      assert.deepEqual([head.status, head.text], [200, ''])
      for (const name of ['etag', 'content-type', 'content-length', 'cache-control'])
        assert.equal(head.headers[name], get.headers[name], `${place} ${name}`)
    }
    assert.equal((await site.ask('stats?start=x', { method: 'HEAD' })).status, 400)
    assert.equal((await ask(`${server.url}/api/v1/sites`, { method: 'HEAD' })).status, 401)
  })
})

describe('CORS', () => {
  const origin = 'https://dashboard.example'

  test('a preflight from any origin allows GET and POST with Authorization, and needs no key', async () => {
    const site = await newSite()
    for (const [place, method] of [
      ['stats', 'GET'],
      ['events', 'POST'],
      ['hits', 'POST'],
    ] as const) {
      const answer = await ask(`${site.url}/${place}`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization,content-type,idempotency-key',
        },
      })
      assert.deepEqual([answer.status, answer.text], [204, ''])
      assert.equal(answer.headers['access-control-allow-origin'], '*')
      assert.ok(answer.headers['access-control-allow-methods']!.split(/, */).includes(method))
      const allowed = answer.headers['access-control-allow-headers']!.toLowerCase().split(/, */)
      // To a browser `*` means every header but this one.
      assert.deepEqual(allowed, ['authorization', '*'])
      assert.equal(answer.headers['access-control-allow-credentials'], undefined)
    }
  })

  test('every answer under /api/v1 may be read from any origin, errors too, with the headers that matter', async () => {
    const site = await newSite()
    const answers: Answer[] = await Promise.all([
      site.ask('stats'),
      site.ask('stats?start=x'),
      site.ask('stats', { headers: { 'if-none-match': '*' } }),
      site.ask('stats', { method: 'DELETE' }),
      site.post('events', visit),
      site.post('events', '{'),
      ask(`${server.url}/api/v1/sites`),
      ask(`${server.url}/api/v1/sites//stats`, { key: site.key }),
    ])
    for (const { status, headers } of answers) {
      assert.equal(headers['access-control-allow-origin'], '*', String(status))
      const exposed = headers['access-control-expose-headers']!.toLowerCase().split(/, */)
      for (const name of [
        'etag',
        'x-request-id',
        'x-ratelimit-limit',
        'x-ratelimit-remaining',
        'x-ratelimit-reset',
        'retry-after',
        'idempotent-replayed',
      ])
        assert.ok(exposed.includes(name), name)
    }
    assert.equal((await ask(`${server.url}/api/v1/nothing`)).headers['access-control-allow-origin'], '*')
  })
})

describe('compression', () => {
  const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }
  const long = 'timeseries?granularity=hour&start=2026-01-01&end=2026-01-20'
  const streamed = 'timeseries?granularity=hour&start=2026-01-01&end=2026-12-31'

  for (const [name, decode] of Object.entries(decoders)) {
    test(`in ${name} gives the same bytes after decoding, for answers in one piece and in a stream`, async () => {
      const site = await newSite()
      for (const place of [long, streamed]) {
        const plain = await site.ask(place)
        assert.equal(plain.headers['content-encoding'], undefined)
        const packed = await site.ask(place, { headers: { 'accept-encoding': name } })
        assert.equal(packed.headers['content-encoding'], name)
        assert.match(packed.headers.vary!, /accept-encoding/i)
        assert.equal(packed.headers.etag, plain.headers.etag)
        assert.ok(packed.bytes.length < plain.bytes.length / 5)
        assert.equal(decode(packed.bytes).toString(), plain.text)
      }
    })
  }

  test('is left out for small answers, and where the client takes none', async () => {
    const site = await newSite()
    assert.equal(
      (await site.ask('stats', { headers: { 'accept-encoding': 'gzip' } })).headers['content-encoding'],
      undefined,
    )
    for (const accept of ['identity', 'gzip;q=0', 'compress'])
      assert.equal(
        (await site.ask(long, { headers: { 'accept-encoding': accept } })).headers['content-encoding'],
        undefined,
      )
  })

  test('serves what browsers send', async () => {
    const site = await newSite()
    const answer = await site.ask(long, { headers: { 'accept-encoding': 'gzip, deflate, br, zstd' } })
    const name = answer.headers['content-encoding'] as keyof typeof decoders
    assert.equal(decoders[name](answer.bytes).toString(), (await site.ask(long)).text)
  })
})
