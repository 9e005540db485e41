/** Several threads that serve: one is started under load, and nobody can tell which of them has answered. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { addAccount, type TestAccount } from '../support/accounts.ts'
import { type Answer, ask, type Question } from '../support/ask.ts'
import type { Settings } from '../support/program.ts'
import { type RunningServer, startServer } from '../support/server.ts'

const limit = 60
const quota = 500
const patienceMs = 30_000

/** What costs a server far more than its client, and records nothing. */
const plainHits = JSON.stringify(
  Array.from({ length: 1_000 }, (_, n) => ({
    url: `/${n}`,
    user_agent: `Mozilla/5.0 (X11; Linux) Browser/${n}`,
  })),
)

/** Until so many threads serve, or for so long. */
async function keepBusy(
  { server, account }: { server: RunningServer; account: TestAccount },
  { threads, ms }: { threads: number; ms: number },
): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const end = performance.now() + ms
  const serving = () => server.stderr().split('one more thread serves').length
  const url = `${server.url}/api/v1/sites/${account.site.id}/hits`
  const work = async () => {
    while (serving() < threads && performance.now() < end)
      await ask(url, { method: 'POST', key: account.key, body: plainHits, agent })
  }
  await Promise.all(Array.from({ length: 12 }, work))
  agent.destroy()
  return serving()
}

/** Asks by one connection of its own, that of its agent, so that one thread answers. */
type Connection = ((path: string, question?: Question) => Promise<Answer>) & { readonly agent: Agent }

/** One connection to each of several threads. */
async function connectToEach(server: RunningServer, threads: number): Promise<Connection[]> {
  const found = new Map<string, Connection>()
  for (let tries = 0; tries < 500 && found.size < threads; tries++) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const send = (path: string, question?: Question) => ask(server.url + path, { agent, ...question })
    const connection: Connection = Object.assign(send, { agent })
    const { headers } = await connection('/healthz')
    // Each thread begins its ids differently.
    const thread = String(headers['x-request-id']).slice(0, 8)
    if (found.has(thread)) agent.destroy()
    else found.set(thread, connection)
  }
  assert.equal(found.size, threads)
  return [...found.values()]
}

interface Serving {
  readonly server: RunningServer
  readonly account: TestAccount
  readonly connections: readonly [Connection, Connection, ...Connection[]]
  readonly site: string
}

async function startThreads(threads: number, settings: Settings = {}): Promise<Serving> {
  const server = await startServer({ settings: { PUGMARK_THREADS: String(threads), ...settings } })
  const account = await addAccount(server.data)
  assert.equal(await keepBusy({ server, account }, { threads, ms: patienceMs }), threads)
  const connections = (await connectToEach(server, threads)) as [Connection, Connection]
  return { server, account, connections, site: `/api/v1/sites/${account.site.id}` }
}

const visit = { type: 'referral', source: 'ChatGPT', page_path: '/' }
const referralsIn = (answer: Answer): number => {
  assert.equal(answer.status, 200, answer.text)
  return answer.json<{ totals: { referrals: number } }>().totals.referrals
}

describe('threads that serve', () => {
  test('an answer includes what another thread has acknowledged, for every question and every way of recording', async () => {
    const { server, account, connections, site } = await startThreads(2, {
      PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '1000000',
    })
    const { key } = account
    let recorded = 0
    for (let round = 0; round < 60; round++) {
      const post = connections[round % 2]!
      const get = connections[(round + 1) % 2]!
      const events =
        round % 3 === 0 ? [visit] : Array.from({ length: round % 3 === 1 ? 7 : 300 }, () => visit)
      const answer = await post(`${site}/events`, { method: 'POST', key, body: events })
      assert.equal(answer.status, 201, answer.text)
      recorded += events.length
      assert.equal(referralsIn(await get(`${site}/stats`, { key })), recorded)
      const series = await get(`${site}/timeseries`, { key })
      const points = series.json<{ data: { referrals: number }[] }>().data
      assert.equal(
        points.reduce((sum, { referrals }) => sum + referrals, 0),
        recorded,
      )
      const list = await get(`${site}/events?limit=100`, { key })
      assert.equal(list.json<{ events: unknown[] }>().events.length, Math.min(100, recorded))
    }
    await server.stop()
  })

  test('an answer of one thread is known by its tag to the others', async () => {
    const { server, account, connections, site } = await startThreads(2)
    const { key } = account
    const { headers } = await connections[0](`${site}/stats?start=2026-01-01&end=2026-01-31`, { key })
    const again = await connections[1](`${site}/stats?start=2026-01-01&end=2026-01-31`, {
      key,
      headers: { 'if-none-match': headers.etag },
    })
    assert.equal(again.status, 304)
    await server.stop()
  })

  test('limits hold for all together: requests a minute, wrong keys, events a month, repeated requests', async () => {
    const { server, account, connections, site } = await startThreads(2, {
      PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: String(limit),
      PUGMARK_PLAN_PRO_EVENTS_PER_MONTH: String(quota),
    })
    const { key } = account
    const remaining: number[] = []
    for (let n = 0; n < limit + 10; n++) {
      const { status, headers } = await connections[n % 2]!('/api/v1/sites', { key })
      assert.equal(status, n < limit ? 200 : 429)
      remaining.push(Number(headers['x-ratelimit-remaining']))
    }
    assert.deepEqual(
      remaining,
      Array.from({ length: limit + 10 }, (_, n) => Math.max(0, limit - 1 - n)),
    )

    const same = { method: 'POST', key, body: [visit, visit], headers: { 'idempotency-key': 'one' } }
    const twice = await Promise.all(connections.map(connection => connection(`${site}/events`, same)))
    assert.deepEqual(twice.map(({ headers }) => headers['idempotent-replayed']).sort(), ['true', undefined])

    const single = { method: 'POST', key, body: [visit] }
    const answers = await Promise.all(
      Array.from({ length: quota + 50 }, (_, n) => connections[n % 2]!(`${site}/events`, single)),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, quota - 2)

    const wrong = []
    for (let n = 0; n < 320; n++)
      wrong.push((await connections[n % 2]!('/api/v1/sites', { key: `pug_${'0'.repeat(40)}` })).status)
    assert.deepEqual(wrong, [...Array(300).fill(401), ...Array(20).fill(429)])
    await server.stop()
  })

  test('whoever guesses a password has no more tries with several threads', async () => {
    const { server, connections } = await startThreads(2)
    const headers = { 'x-pugmark-page': '1' }
    const statuses: number[] = []
    for (let n = 0; n < 8; n++) {
      const body = { email: 'somebody@example.com', password: `wrong password ${n}` }
      const answer = await connections[n % 2]!('/app/api/sign-in', { method: 'POST', headers, body })
      statuses.push(answer.status)
    }
    assert.deepEqual(statuses.slice(0, 5), Array(5).fill(statuses[0]))
    assert.deepEqual(statuses.slice(5), Array(3).fill(429))
    await server.stop()
  })

  for (const end of ['stop', 'kill'] as const) {
    test(`after a ${end} under load all that any thread acknowledged is there`, async () => {
      const { server, account, site } = await startThreads(2)
      const { key } = account
      const agent = new Agent({ keepAlive: true })
      let recorded = 0
      let sent = 0
      const work = async (count: number): Promise<void> => {
        for (;;) {
          sent += count
          const body = Array.from({ length: count }, () => visit)
          const answer = await ask(`${server.url}${site}/events`, { method: 'POST', key, body, agent }).catch(
            () => null,
          )
          if (answer === null) return
          assert.equal(answer.status, 201, answer.text)
          recorded += count
        }
      }
      const working = Promise.all(Array.from({ length: 24 }, (_, n) => work([1, 1, 20, 300][n % 4]!)))
      await setTimeout(500)
      assert.notEqual(await server[end](), 1)
      await working
      // Throws when a line of the log is broken.
      assert.ok(server.log().length > 0)
      const again = await startServer({ data: server.data })
      const { totals } = (await ask(`${again.url}${site}/stats`, { key })).json<{
        totals: { referrals: number }
      }>()
      assert.ok(
        totals.referrals >= recorded && totals.referrals <= sent,
        `${recorded} ${totals.referrals} ${sent}`,
      )
      if (end === 'stop') assert.equal(totals.referrals, recorded)
      await again.stop()
    })
  }

  test('told to stop, none takes a new connection while another one still finishes what is in flight', async () => {
    const { server, account, connections, site } = await startThreads(2)
    const body = JSON.stringify([visit])
    const uploads = connections.map(({ agent }) => {
      const upload = request(`${server.url}${site}/events`, {
        method: 'POST',
        agent,
        headers: {
          authorization: `Bearer ${account.key}`,
          'content-type': 'application/json',
          'content-length': body.length,
        },
      })
      upload.write(body.slice(0, 10))
      return { upload, answered: once(upload, 'response') as Promise<[IncomingMessage]> }
    })
    await setTimeout(200)
    const stopped = server.stop()
    for (const { upload, answered } of uploads) {
      await setTimeout(500)
      const agent = new Agent()
      await assert.rejects(ask(`${server.url}/healthz`, { agent }), { code: 'ECONNREFUSED' })
      upload.end(body.slice(10))
      const [response] = await answered
      assert.equal(response.statusCode, 201)
      response.resume()
    }
    assert.equal(await stopped, 0)
  })

  test('a server with little to do, and one that may have only one, has one thread', async () => {
    const idle = await startServer({ settings: { PUGMARK_THREADS: '2' } })
    for (let n = 0; n < 30; n++) {
      await ask(`${idle.url}/healthz`)
      await setTimeout(50)
    }
    assert.doesNotMatch(idle.stderr(), /one more thread/)
    await idle.stop()
    const one = await startServer({ settings: { PUGMARK_THREADS: '1' } })
    const account = await addAccount(one.data)
    assert.equal(await keepBusy({ server: one, account }, { threads: 2, ms: 2_500 }), 1)
    await one.stop()
  })
})
