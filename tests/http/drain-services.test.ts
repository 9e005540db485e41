/** What the single services ask of an address and send besides requests, in the shapes that they document. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { addDrain } from '../../src/accounts/drains.ts'
import type { DrainKind } from '../../src/domain/event.ts'
import { findFormat } from '../../src/ingest/logs/formats.ts'
import { addAccount, dataIn, type TestAccount } from '../support/accounts.ts'
import { ask, errorOf } from '../support/ask.ts'
import {
  bodies,
  combinedLine,
  firehoseBody,
  type Request,
  vercelBuildEntry,
  vercelEntry,
  vercelSignature,
} from '../support/drain-payloads.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'

const server = await startServer()
after(() => server.stop())
const parts = dataIn(server.data)

const visit: Request = {
  method: 'GET',
  path: '/pricing?plan=pro',
  status: 200,
  userAgent: 'Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)',
  referrer: '',
  address: '8.8.8.8',
  time: Date.UTC(2026, 9, 10, 11, 55, 36),
  id: 'one',
}

const urlOf = (kind: DrainKind, { site }: TestAccount) => `${server.url}/drains/${kind}/${site.id}`
const bearer = ({ key }: TestAccount) => ({ authorization: `Bearer ${key}` })

async function recordedBy(kind: DrainKind, body: string | Buffer, headers?: object): Promise<number> {
  const account = await addAccount(server.data)
  const answer = await ask(urlOf(kind, account), {
    method: 'POST',
    body,
    headers: { ...bearer(account), ...headers },
  })
  assert.equal(answer.status, 200, answer.text)
  const { events } = await new SiteClient(server, account).events({ start: '1970-01-01', end: '2026-12-31' })
  for (const event of events) assert.equal(event.type, 'bot')
  // The address is part of what must be read.
  if (body.includes(visit.address)) for (const event of events) assert.equal(event.country, 'US')
  return events.length
}

describe('Vercel', () => {
  async function newDrain(proof: string | null) {
    const account = await addAccount(server.data)
    const { secret } = await addDrain(parts, account.site, 'vercel', proof)
    return { account, url: urlOf('vercel', account), secret: secret! }
  }

  test('believes an address that answers with the code of the drain, to whatever it asks first', async () => {
    const { url } = await newDrain('9d2b6c1f')
    for (const question of [
      {},
      { method: 'HEAD' },
      { method: 'POST', body: '' },
      { method: 'POST', body: '[]' },
    ]) {
      const answer = await ask(url, question)
      assert.deepEqual([answer.status, answer.headers['x-vercel-verify']], [200, '9d2b6c1f'])
    }
  })

  test('is told no code by a site without one, nor by another site', async () => {
    const [{ url }, other] = [await newDrain(null), await addAccount(server.data)]
    for (const place of [url, urlOf('vercel', other), `${server.url}/drains/vercel/site_0`]) {
      assert.equal((await ask(place)).headers['x-vercel-verify'], undefined)
      assert.equal((await ask(place, { method: 'POST', body: '[]' })).status, 401)
    }
  })

  async function reportOf(entries: readonly object[], asLines = false) {
    const { account, url, secret } = await newDrain('code')
    const body = asLines ? entries.map(entry => JSON.stringify(entry)).join('\n') : JSON.stringify(entries)
    const headers = { 'x-vercel-signature': vercelSignature(body, secret) }
    const answer = await ask(url, { method: 'POST', body, headers })
    assert.equal(answer.status, 200, answer.text)
    return {
      account,
      ...answer.json<{
        received: number
        recorded: object
        duplicate: number
        other: number
        malformed: number
      }>(),
    }
  }

  test('sends several entries of one request, which counts once; builds and pages made anew are no requests', async () => {
    const background = {
      ...vercelEntry({ ...visit, id: 'two' }),
      proxy: { ...(vercelEntry(visit) as { proxy: object }).proxy, statusCode: -1 },
    }
    const output = { ...vercelBuildEntry, id: '2', source: 'lambda', type: 'stdout' }
    const entries = [
      vercelBuildEntry,
      vercelEntry(visit, 1),
      vercelEntry(visit, 2),
      vercelEntry(visit, 3),
      background,
      output,
    ]
    for (const asLines of [false, true]) {
      const { account, ...report } = await reportOf(entries, asLines)
      assert.deepEqual(report, {
        received: 6,
        recorded: { bot: 1, referral: 0 },
        ignored: {},
        malformed: 0,
        duplicate: 2,
        other: 3,
      })
      const { events } = await new SiteClient(server, account).events({
        start: '2026-10-10',
        end: '2026-10-10',
      })
      assert.deepEqual(
        events.map(({ id, ...event }) => event),
        [
          {
            type: 'bot',
            bot_name: 'GPTBot',
            bot_company: 'OpenAI',
            page_path: '/pricing',
            country: 'US',
            created_at: '2026-10-10T11:55:36.000Z',
          },
        ],
      )
    }
  })

  test('is refused for a while when it fails again and again', async () => {
    const patient = await startServer()
    try {
      const url = `${patient.url}/drains/vercel/site_0`
      const wrong = { method: 'POST', body: '[]', headers: { 'x-vercel-signature': '0'.repeat(40) } }
      for (let n = 0; n < 300; n++) assert.equal((await ask(url, wrong)).status, 401)
      const answer = await ask(url, wrong)
      assert.deepEqual([answer.status, errorOf(answer).code], [429, 'RATE_LIMITED'])
    } finally {
      await patient.stop()
    }
  })
})

test('Cloudflare tries the address with a compressed file, which is no request', async () => {
  const account = await addAccount(server.data)
  const answer = await ask(urlOf('cloudflare', account), {
    method: 'POST',
    body: gzipSync('{"content":"tests"}'),
    headers: { ...bearer(account), 'content-type': 'application/json', 'content-encoding': 'gzip' },
  })
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.json(), {
    received: 1,
    recorded: { bot: 0, referral: 0 },
    ignored: {},
    malformed: 0,
    duplicate: 0,
    other: 1,
  })
})

test('Netlify sends the output of functions and deploys too, which is no request', async () => {
  const entries = [
    { log_type: 'functions', level: 'INFO', message: 'x' },
    { log_type: 'deploy', message: 'y' },
  ]
  const body = [...JSON.parse(bodies.netlify([visit])), ...entries]
    .map(entry => JSON.stringify(entry))
    .join('\n')
  assert.equal(await recordedBy('netlify', body), 1)
})

describe('Amazon Data Firehose', () => {
  const headersOf = ({ key }: { key: string }, id: string) => ({
    'x-amz-firehose-access-key': key,
    'x-amz-firehose-request-id': id,
    'x-amz-firehose-protocol-version': '1.0',
    'x-amz-firehose-source-arn': 'arn:aws:firehose:us-east-1:123456789:deliverystream/testStream',
  })
  const line = findFormat('cloudfront-json')!.sample

  test('is answered with its request id and a time, and nothing else', async () => {
    const account = await addAccount(server.data)
    const body = firehoseBody('ed4acda5', [`${line}\n`])
    const answer = await ask(urlOf('cloudfront', account), {
      method: 'POST',
      body,
      headers: headersOf(account, 'ed4acda5'),
    })
    assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'application/json'])
    assert.equal(answer.headers['content-length'], String(answer.bytes.length))
    const { requestId, timestamp, ...more } = answer.json<{ requestId: string; timestamp: number }>()
    assert.deepEqual([requestId, more], ['ed4acda5', {}])
    assert.ok(Number.isInteger(timestamp) && Math.abs(timestamp - Date.now()) < 60_000)
  })

  test('is told in its own words what went wrong', async () => {
    const account = await addAccount(server.data)
    for (const [body, headers, status, message] of [
      ['{}', headersOf({ key: 'wrong' }, 'id-1'), 401, /API key/],
      ['{}', headersOf(account, 'id-1'), 400, /records/],
    ] as const) {
      const answer = await ask(urlOf('cloudfront', account), { method: 'POST', body, headers })
      assert.deepEqual([answer.status, answer.headers['content-type']], [status, 'application/json'])
      const { requestId, timestamp, errorMessage, ...more } = answer.json<Record<string, unknown>>()
      assert.deepEqual([requestId, typeof timestamp, more], ['id-1', 'number', {}])
      assert.match(String(errorMessage), message)
    }
  })

  test('sends the same request id when it tries again, and that counts once whatever else has changed', async () => {
    const account = await addAccount(server.data)
    const unnamed = (path: string) =>
      JSON.stringify({ ...JSON.parse(line), 'x-edge-request-id': '-', 'cs-uri-stem': path })
    const send = (id: string, path: string) =>
      ask(urlOf('cloudfront', account), {
        method: 'POST',
        body: gzipSync(firehoseBody(id, [unnamed(path)])),
        headers: { ...headersOf(account, id), 'content-encoding': 'gzip' },
      })
    for (const [id, path] of [
      ['a', '/1'],
      ['a', '/1'],
      ['b', '/1'],
      ['a', '/2'],
    ] as const)
      assert.equal((await send(id, path)).status, 200)
    const { events } = await new SiteClient(server, account).events({
      start: '2026-10-10',
      end: '2026-10-10',
    })
    assert.deepEqual(events.map(({ page_path }) => page_path).sort(), ['/1', '/1'])
  })

  test('may put several entries into a record, and none', async () => {
    const two = `${line}\n${line.replace('SOX4', 'SOX5')}\n`
    assert.equal(
      await recordedBy('cloudfront', firehoseBody('x', [two, '', line.replace('SOX4', 'SOX6')])),
      3,
    )
  })
})

test('Fastly believes an address that shows the hashes of its services, each on a line', async () => {
  const challenge = `${server.url}/.well-known/fastly/logging/challenge`
  assert.equal((await ask(challenge)).status, 404)
  const services = ['SU1Z0isxPaozGVKXdv0eY', '7i6HN3TK9wS159v2gPAZ8A']
  for (const service of [...services, services[0]!]) {
    const { secret } = await addDrain(parts, (await addAccount(server.data)).site, 'fastly', service)
    assert.equal(secret, null)
  }
  const answer = await ask(challenge)
  assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'text/plain; charset=utf-8'])
  const hashes = services.map(service => createHash('sha256').update(service).digest('hex'))
  assert.equal(answer.text, `${hashes.join('\n')}\n`)
})

describe('a line of a log', () => {
  const combined = combinedLine(visit)
  const wrapped: [what: string, kind: DrainKind, body: string][] = [
    ['as it is', 'syslog', combined],
    [
      'in a header of RFC 5424',
      'syslog',
      `<190>1 2026-10-10T11:55:36.003Z web1 nginx 8710 access [a@1 b="\\]"][c@2] \ufeff${combined}`,
    ],
    [
      'in a header of RFC 5424, counted by octets',
      'syslog',
      `283 <190>1 2026-10-10T11:55:36Z web1 nginx - - - ${combined}`,
    ],
    ['in a header of RFC 3164, as nginx writes it', 'syslog', `<190>Oct 10 11:55:36 web1 nginx: ${combined}`],
    [
      'in the header that Fastly writes for "classic"',
      'fastly',
      `<134>2026-10-10T11:55:36Z cache-fra19120 pugmark[62959]: ${combined}`,
    ],
    [
      'in the JSON of rsyslog',
      'syslog',
      JSON.stringify({ msg: ` ${combined}`.trim(), host: 'web1', timestamp: '2026-10-10T11:55:36Z' }),
    ],
    [
      'of Caddy, in an event of Vector',
      'vector',
      JSON.stringify([{ message: findFormat('caddy-json')!.sample.replace('curl/7.82.0', 'GPTBot/1.3') }]),
    ],
    [
      'of Caddy, parsed by Fluent Bit',
      'fluentbit',
      JSON.stringify({
        date: 1.5,
        ...JSON.parse(findFormat('caddy-json')!.sample.replace('curl/7.82.0', 'GPTBot/1.3')),
      }),
    ],
    [
      'of nginx in JSON, in a record of Fluent Bit',
      'fluentbit',
      JSON.stringify([{ date: 1.5, log: findFormat('nginx-json')!.sample }]),
    ],
    [
      'of nginx in JSON, parsed by Vector',
      'vector',
      JSON.stringify([JSON.parse(findFormat('nginx-json')!.sample)]),
    ],
  ]
  for (const [what, kind, body] of wrapped)
    test(`${what} is read`, async () => assert.equal(await recordedBy(kind, body), 1))

  test('of any format may stand beside one of another', async () => {
    const samples = ['combined', 'nginx-json', 'caddy-json'].map(name => findFormat(name)!.sample)
    const bots = samples.map(sample =>
      sample.replace(/Mozilla\/4[^"]*|curl\/7.82.0/, 'GPTBot/1.3').replace('.gif', '.html'),
    )
    assert.equal(await recordedBy('vector', [...bots, ...bots.toReversed()].join('\n')), 6)
  })
})

test('a key may come as the password of a shipper that knows nothing else', async () => {
  const account = await addAccount(server.data)
  const post = (credentials: string) =>
    ask(urlOf('fluentbit', account), {
      method: 'POST',
      body: combinedLine(visit),
      headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    })
  assert.equal((await post(`pugmark:${account.key}`)).status, 200)
  for (const credentials of [account.key, `${account.key}:pugmark`, 'pugmark:wrong', ''])
    assert.equal((await post(credentials)).status, 401)
})
