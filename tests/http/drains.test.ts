/** Log drains: what a service delivers is counted as the same lines of a log are, once however often it comes, and for its own site only. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { addDrain, removeDrain } from '../../src/accounts/drains.ts'
import { type DrainKind, drainKinds } from '../../src/domain/event.ts'
import type { DrainReport } from '../../src/ingest/drains/receive-drain.ts'
import type { ImportReport } from '../../src/ingest/import-log.ts'
import type { ApiEvent } from '../../src/reports/api-event.ts'
import { addAccount, addKeyTo, addSiteTo, dataIn, type TestAccount } from '../support/accounts.ts'
import { type Answer, ask, errorOf, type Question } from '../support/ask.ts'
import { bodies, entryLines, type Request, vercelSignature } from '../support/drain-payloads.ts'
import { pugmarkJson } from '../support/program.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'

const server = await startServer({
  settings: { PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '1000000', PUGMARK_PLAN_FREE_EVENTS_PER_MONTH: '3' },
})
after(() => server.stop())

const gptBot =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)'
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'
const begin = Date.UTC(2026, 9, 10, 11, 55, 36)

/** Each third is a bot, each fifth a click from an assistant, each seventh no page, and the rest counts as nothing. */
const request = (n: number): Request => ({
  method: n % 11 === 0 ? 'POST' : 'GET',
  path: n % 7 === 0 ? `/style-${n}.css` : `/page/${n}?x=1`,
  status: n % 13 === 0 ? 301 : 200,
  userAgent: n % 3 === 0 ? gptBot : firefox,
  referrer: n % 5 === 0 ? 'https://chatgpt.com/' : '',
  address: '8.8.8.8',
  time: begin + n * 1000,
  id: `request-${n}`,
})
const requests = (from: number, to: number): Request[] =>
  Array.from({ length: to - from }, (_, n) => request(from + n))

interface Drain {
  readonly kind: DrainKind
  readonly account: TestAccount
  readonly site: SiteClient
  /** Of Vercel. */
  readonly secret: string
  readonly drainId: string
}

async function newDrain(kind: DrainKind, plan: 'free' | 'pro' = 'pro'): Promise<Drain> {
  const account = await addAccount(server.data, { plan })
  const site = new SiteClient(server, account)
  if (kind !== 'vercel') return { kind, account, site, secret: '', drainId: '' }
  const { drain, secret } = await addDrain(dataIn(server.data), account.site, 'vercel', null)
  return { kind, account, site, secret: secret!, drainId: drain.id }
}

/** Sends a body with what its service would prove itself by. */
function deliver(drain: Drain, body: string | Buffer, headers: Question['headers'] = {}): Promise<Answer> {
  const { kind, account, secret } = drain
  const proof =
    kind === 'vercel'
      ? { 'x-vercel-signature': vercelSignature(body, secret) }
      : kind === 'cloudfront'
        ? { 'x-amz-firehose-access-key': account.key }
        : { authorization: `Bearer ${account.key}` }
  return ask(`${server.url}/drains/${kind}/${account.site.id}`, {
    method: 'POST',
    body,
    headers: { ...proof, ...headers },
  })
}

async function delivered(
  drain: Drain,
  body: string | Buffer,
  headers: Question['headers'] = {},
): Promise<DrainReport> {
  const answer = await deliver(drain, body, headers)
  assert.equal(answer.status, 200, answer.text)
  return answer.json<DrainReport>()
}

const totalsOf = async ({ site }: Drain) =>
  (await site.stats({ start: '2026-10-10', end: '2026-10-10' })).totals
const withoutIds = (events: readonly ApiEvent[]) =>
  events.map(({ id, ...event }) => event).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
const eventsOf = async (site: SiteClient) =>
  withoutIds(await site.allEvents({ start: '2026-10-10', end: '2026-10-10', limit: 1000 }))

/** The first answer that is not null; a few seconds are enough. */
async function eventually<Value>(ask: () => Promise<Value | null>): Promise<Value> {
  for (let n = 0; n < 100; n++) {
    const answer = await ask()
    if (answer !== null) return answer
    await setTimeout(100)
  }
  throw new Error('It did not come to this.')
}

for (const kind of drainKinds) {
  describe(kind, () => {
    test('is counted exactly as `pugmark import` counts the same requests', async () => {
      const drain = await newDrain(kind)
      const all = requests(0, 300)
      const report = await delivered(drain, bodies[kind](all))
      const imported = await addSiteTo(server.data, drain.account.email, 'example.com')
      const file = path.join(server.data, `${kind}.log`)
      writeFileSync(file, `${all.map(entryLines[kind]).join('\n')}\n`)
      const other = await pugmarkJson<ImportReport>(server.data, ['import', file, '--site', imported.id])
      assert.equal(other.malformed, 0)
      assert.ok(other.recorded.bot > 50 && other.recorded.referral > 20)
      if (kind !== 'cloudfront') {
        const { recorded, ignored } = other
        assert.deepEqual(report, { received: 300, recorded, ignored, malformed: 0, duplicate: 0, other: 0 })
      }
      const client = new SiteClient(server, { key: drain.account.key, site: imported })
      assert.deepEqual(await eventsOf(drain.site), await eventsOf(client))
    })

    test('counts a delivery once that is sent again, also when both are on their way at once', async () => {
      const drain = await newDrain(kind)
      const body = bodies[kind](requests(0, 30))
      const answers = await Promise.all([1, 2, 3].map(() => deliver(drain, body)))
      answers.push(await deliver(drain, body))
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200],
      )
      const replayed = answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')
      assert.equal(replayed.length, 3)
      if (kind !== 'cloudfront') assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
      const once = await newDrain(kind)
      await deliver(once, body)
      assert.deepEqual(await totalsOf(drain), await totalsOf(once))
    })

    test('takes gzip and Zstandard, named in a header or not', async () => {
      const drain = await newDrain(kind)
      const body = (n: number) => bodies[kind]([request(3 * n)])
      for (const [n, compressed, headers] of [
        [1, gzipSync(body(1)), { 'content-encoding': 'gzip' }],
        [2, gzipSync(body(2)), {}],
        [3, zstdCompressSync(body(3)), { 'content-encoding': 'zstd', 'content-type': 'text/plain' }],
        [4, Buffer.from(body(4)), { 'content-type': undefined }],
      ] as const) {
        assert.equal((await deliver(drain, compressed, headers)).status, 200)
        assert.equal((await totalsOf(drain)).bot_visits, n)
      }
    })

    test('records nothing for a proof that is wrong, missing or of another account, and tells nothing', async () => {
      const drain = await newDrain(kind)
      const stranger = await newDrain(kind)
      const body = bodies[kind](requests(0, 10))
      const url = `${server.url}/drains/${kind}/${drain.account.site.id}`
      const post = (headers: Question['headers'], place = url) =>
        ask(place, { method: 'POST', body, headers })
      const absent = `${server.url}/drains/${kind}/site_00000000000000000000`
      const statuses =
        kind === 'vercel'
          ? [
              await post({}),
              await post({ 'x-vercel-signature': '' }),
              await post({ 'x-vercel-signature': vercelSignature(body, 'wrong') }),
              await post({ 'x-vercel-signature': vercelSignature(`${body} `, drain.secret) }),
              await post({ 'x-vercel-signature': vercelSignature(body, stranger.secret) }),
              await post({ authorization: `Bearer ${drain.account.key}` }),
              await post({ 'x-vercel-signature': vercelSignature(body, stranger.secret) }, absent),
            ]
          : [
              await post({}),
              await post({ authorization: 'Bearer pug_wrong' }),
              await post({ authorization: `Bearer ${drain.account.site.key}` }),
              await post({
                authorization: `Bearer ${(await addKeyTo(server.data, drain.account.email, ['read'])).key}`,
              }),
              await post({ authorization: `Bearer ${stranger.account.key}` }),
              await post({ authorization: `Bearer ${stranger.account.key}` }, absent),
            ]
      assert.deepEqual(
        statuses.map(({ status }) => status),
        kind === 'vercel' ? [401, 401, 401, 401, 401, 401, 401] : [401, 401, 401, 403, 403, 403],
      )
      // Somebody else's site and none at all cannot be told apart.
      const [foreign, none] = [statuses.at(-2)!, statuses.at(-1)!]
      if (kind !== 'vercel' && kind !== 'cloudfront') assert.equal(foreign.text, none.text)
      if (kind === 'vercel') assert.equal(statuses[4]!.text, none.text)
      assert.equal((await totalsOf(drain)).bot_visits, 0)
      assert.equal((await totalsOf(stranger)).bot_visits, 0)
    })

    test('counts broken entries and records all others', async () => {
      const drain = await newDrain(kind)
      const isArray = ['vercel', 'netlify', 'vector'].includes(kind)
      const whole = bodies[kind]([request(3), request(6)])
      const body = isArray
        ? `[{"a":1},5,"text",null,[],${whole.slice(1, -1)},{"id":1,`
        : kind === 'cloudfront'
          ? whole.replace('[{', '[{"data":"e30K"},{"data":5},{"data":"!!!"},7,{')
          : `rubbish\n{"a":1}\n\u0000\n${'x'.repeat(70_000)}\n${whole}\n{"id":1,`
      const answer = await deliver(drain, body)
      assert.equal(answer.status, 200, answer.text)
      assert.equal((await totalsOf(drain)).bot_visits, 2)
      if (kind === 'cloudfront') return
      const { received, recorded, malformed, duplicate, other } = answer.json<DrainReport>()
      assert.deepEqual([recorded.bot, duplicate, other], [2, 0, 0])
      assert.deepEqual([received, malformed], isArray ? [8, 6] : [7, 5])
    })

    test('takes a body without entries', async () => {
      const drain = await newDrain(kind)
      for (const body of ['', ' \n', '[]']) {
        const answer = await deliver(drain, body)
        assert.equal(answer.status, kind === 'cloudfront' ? 400 : 200, answer.text)
        if (kind !== 'cloudfront') assert.equal(answer.json<DrainReport>().received, 0)
      }
    })

    test('refuses what is over the quota, records nothing of it, and says when to come again', async () => {
      const drain = await newDrain(kind, 'free')
      const answer = await deliver(drain, bodies[kind](requests(0, 30)))
      assert.equal(answer.status, 429, answer.text)
      assert.ok(Number(answer.headers['retry-after']) > 0)
      assert.equal((await totalsOf(drain)).bot_visits, 0)
      assert.equal((await deliver(drain, bodies[kind]([request(3)]))).status, 200)
      assert.equal((await totalsOf(drain)).bot_visits, 1)
    })

    test('takes only POST', async () => {
      const drain = await newDrain(kind)
      const answer = await ask(`${server.url}/drains/${kind}/${drain.account.site.id}`, {
        method: 'PUT',
        body: 'x',
      })
      assert.equal(answer.status, 405)
      assert.match(answer.headers.allow!, /POST/)
    })
  })
}

test('the health of a site tells what came by each kind, and what was refused after it was let in', async () => {
  const store = dataIn(server.data).stores.events
  await Promise.all(
    drainKinds.map(async kind => {
      const drain = await newDrain(kind)
      const body = bodies[kind](requests(0, 30))
      for (const each of [body, body]) await deliver(drain, each)
      await deliver(drain, gzipSync(body).subarray(0, 50))
      // What was not recorded is stored every few seconds.
      const way = await eventually(async () => {
        const [found] = await store.health(drain.account.site.number)
        return found?.rejected === 1 && found.received === 60 ? found : null
      })
      const { bot_visits, referrals } = await totalsOf(drain)
      assert.deepEqual([way.source, way.recorded, way.duplicates], [kind, bot_visits + referrals, 30])
      assert.equal(way.lastRejection?.reason, 'INVALID_PARAMETER')
    }),
  )
})

test('what a worker, a drain and the log of the server report of the same requests is counted once', async () => {
  const drain = await newDrain('cloudflare')
  const all = requests(0, 60)
  const hits = all.map(({ method, path: url, status, userAgent, referrer, address, time }) => ({
    ...{ method, url, status, referrer, ip: address, user_agent: userAgent },
    timestamp: new Date(time + 400).toISOString(),
  }))
  assert.equal((await drain.site.post('hits', hits)).status, 200)
  const once = await totalsOf(drain)
  assert.ok(once.bot_visits > 5 && once.referrals > 2)
  await delivered(drain, bodies.cloudflare(all))
  await delivered({ ...drain, kind: 'syslog' }, bodies.syslog(all))
  assert.deepEqual(await totalsOf(drain), once)
})

describe('requests that their service names', () => {
  for (const kind of ['vercel', 'cloudflare', 'netlify', 'cloudfront'] as const) {
    test(`count once in deliveries of ${kind} that overlap`, async () => {
      const drain = await newDrain(kind)
      await deliver(drain, bodies[kind]([request(3), request(6), request(9)]))
      const second = await deliver(
        drain,
        bodies[kind]([request(6), request(9), request(12), request(15), request(12)]),
      )
      assert.equal(second.status, 200)
      if (kind !== 'cloudfront') {
        const { recorded, duplicate } = second.json<DrainReport>()
        assert.deepEqual([recorded, duplicate], [{ bot: 2, referral: 0 }, 3])
      }
      assert.equal((await totalsOf(drain)).bot_visits, 5)
      const other = await newDrain(kind)
      await deliver(other, bodies[kind]([request(6)]))
      assert.equal((await totalsOf(other)).bot_visits, 1, 'another site has its own')
    })
  }
})

test('a site has few drains that sign, since each delivery is hashed for every one of them', async () => {
  const { account } = await newDrain('vercel')
  const add = () => addDrain(dataIn(server.data), account.site, 'vercel', null)
  for (let n = 1; n < 10; n++) await add()
  await assert.rejects(add, /The site has 10 drains/)
})

describe('a body that is too large', () => {
  test('as it is sent is refused while it comes, and its sender can read why', async () => {
    const drain = await newDrain('cloudflare')
    const body = Buffer.alloc(65 * 2 ** 20, 10)
    const answer = await deliver(drain, body)
    assert.deepEqual([answer.status, errorOf(answer).code], [413, 'PAYLOAD_TOO_LARGE'])
    assert.match(errorOf(answer).error, /64 MiB as sent/)
  })

  test('when it is decompressed is refused, and the server holds little of it', async () => {
    const drain = await newDrain('cloudflare')
    const bomb = gzipSync(Buffer.alloc(300 * 2 ** 20, 10))
    assert.ok(bomb.length < 400_000)
    const answer = await deliver(drain, bomb)
    assert.deepEqual([answer.status, errorOf(answer).code], [413, 'PAYLOAD_TOO_LARGE'])
    assert.match(errorOf(answer).error, /64 MiB as decompressed/)
    assert.equal((await totalsOf(drain)).bot_visits, 0)
  })

  test('in entries that say nothing is refused, and others are answered meanwhile', async () => {
    const [drain, other] = [await newDrain('cloudflare'), await newDrain('cloudflare')]
    const crowd = gzipSync(`[${'1,'.repeat(1_000_001)}`)
    assert.ok(crowd.length < 3_000)
    let isAnswered = false
    const delivery = deliver(drain, crowd).finally(() => {
      isAnswered = true
    })
    let answers = 0
    for (; !isAnswered; answers++) await totalsOf(other)
    const answer = await delivery
    assert.deepEqual([answer.status, errorOf(answer).code], [413, 'PAYLOAD_TOO_LARGE'])
    assert.match(errorOf(answer).error, /1000000 entries/)
    assert.ok(answers > 30, `${answers} answers meanwhile`)
  })

  test('and stops in the middle, again and again, leaves room for the deliveries of other sites', async () => {
    const [drain, other] = [await newDrain('vercel'), await newDrain('vercel')]
    const head = [
      `POST /drains/vercel/${drain.account.site.id} HTTP/1.1`,
      ...['Host: x', `x-vercel-signature: ${'0'.repeat(40)}`, `Content-Length: ${64 * 2 ** 20}`, '', ''],
    ].join('\r\n')
    const strangers = Array.from({ length: 4 }, () => connect(server.port, '127.0.0.1'))
    const refusals = strangers.map(async stranger => String((await once(stranger, 'data'))[0]))
    for (const stranger of strangers) {
      stranger.write(head)
      stranger.write(Buffer.alloc(63 * 2 ** 20))
    }
    assert.match(await Promise.race(refusals), /^HTTP\/1.1 503 /)
    assert.equal((await deliver(other, Buffer.alloc(63 * 2 ** 20, 10))).status, 200)
    for (const stranger of strangers) stranger.destroy()
  })

  test('is told to Firehose as it wants it: it does not send that again', async () => {
    const drain = await newDrain('cloudfront')
    const answer = await deliver(drain, gzipSync(Buffer.alloc(70 * 2 ** 20, 10)), {
      'x-amz-firehose-request-id': 'a-b-c',
    })
    assert.equal(answer.status, 413)
    const { requestId, timestamp, errorMessage } = answer.json<Record<string, unknown>>()
    assert.equal(requestId, 'a-b-c')
    assert.ok(Math.abs(Number(timestamp) - Date.now()) < 60_000)
    assert.match(String(errorMessage), /64 MiB/)
  })

  test('or damaged in its compression is refused whole', async () => {
    const drain = await newDrain('cloudflare')
    const whole = gzipSync(bodies.cloudflare(requests(0, 2000)))
    const damaged = Buffer.from(whole)
    damaged.fill(0, Math.floor(whole.length / 2))
    for (const body of [whole.subarray(0, -20), damaged]) {
      const answer = await deliver(drain, body)
      assert.deepEqual([answer.status, errorOf(answer).code], [400, 'INVALID_PARAMETER'], answer.text)
    }
    assert.equal((await totalsOf(drain)).bot_visits, 0)
  })
})

test('two secrets of Vercel are good until the old drain is removed, which holds from the next delivery on', async () => {
  const old = await newDrain('vercel')
  const parts = dataIn(server.data)
  const { secret } = await addDrain(parts, old.account.site, 'vercel', null)
  const next = { ...old, secret: secret! }
  assert.equal((await deliver(old, bodies.vercel([request(3)]))).status, 200)
  assert.equal((await deliver(next, bodies.vercel([request(6)]))).status, 200)
  await removeDrain(parts, old.drainId)
  assert.equal((await deliver(old, bodies.vercel([request(9)]))).status, 401)
  assert.equal((await deliver(next, bodies.vercel([request(12)]))).status, 200)
})

test('no secret, signature or address of a delivery is in the log', async () => {
  const drain = await newDrain('vercel')
  const body = bodies.vercel([{ ...request(3), address: '203.0.113.77' }])
  const answer = await deliver(drain, body)
  await deliver(drain, `${body} `, { 'x-vercel-signature': vercelSignature(body, drain.secret) })
  const line = await server.logged(({ requestId }) => requestId === answer.headers['x-request-id'])
  assert.equal(line.route, '/drains/vercel/:siteId')
  assert.equal(line.site, drain.account.site.id)
  for (const secret of [drain.secret, vercelSignature(body, drain.secret), '203.0.113.77', drain.account.key])
    assert.equal(server.stderr().includes(secret), false)
})
