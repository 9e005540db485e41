/** SIGTERM and SIGINT: what is in flight is answered, what was acknowledged is there, and the exit code is 0. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { addAccount } from '../support/accounts.ts'
import { pugmarkJson } from '../support/program.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'

const settings = { PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '1000000' }
const visit = { type: 'referral', source: 'ChatGPT', page_path: '/' }

describe('SIGTERM', () => {
  test('under load: every request sent before it is answered, what was acknowledged is there after a restart, exit code 0', async () => {
    const server = await startServer({ settings })
    const account = await addAccount(server.data)
    const site = new SiteClient(server, account)
    let isStopping = false
    let recorded = 0
    let refused = 0
    const work = async (connection: number): Promise<void> => {
      for (;;) {
        const wasSentBefore = !isStopping
        const asked = connection % 2 === 0 ? site.post('events', [visit, visit]) : site.ask('stats')
        const answer = await asked.catch(() => null)
        if (answer === null) {
          assert.equal(wasSentBefore, false, 'no request from before the signal may be lost')
          refused++
          return
        }
        if (answer.status === 201) recorded += 2
        else assert.equal(answer.status, 200, answer.text)
      }
    }
    const working = Promise.all(Array.from({ length: 16 }, (_, connection) => work(connection)))
    await setTimeout(400)
    isStopping = true
    assert.equal(await server.stop(), 0)
    await working
    assert.ok(recorded > 0 && refused > 0)
    const again = await startServer({ data: server.data, settings })
    assert.equal((await new SiteClient(again, account).stats()).totals.referrals, recorded)
    await again.stop()
  })

  test('ends with 0 after a question that needed a thread of its own', async () => {
    const server = await startServer({ settings })
    const site = new SiteClient(server, await addAccount(server.data))
    const events = Array.from({ length: 10_000 }, () => visit)
    for (let batch = 0; batch < 6; batch++) assert.equal((await site.post('events', events)).status, 201)
    assert.equal((await site.ask('breakdown?dimension=page')).status, 200)
    assert.equal(await server.stop(), 0, server.stderr())
  })

  test('waits for a body that is still arriving, and for a stream that is still read', async () => {
    const server = await startServer({ settings })
    const site = new SiteClient(server, await addAccount(server.data))
    const body = JSON.stringify([visit, visit, visit])
    // It keeps a connection for as long as the server does, which is longer than a minute.
    const agent = new Agent({ keepAlive: true })
    const upload = request(`${site.url}/events`, {
      method: 'POST',
      agent,
      headers: {
        authorization: `Bearer ${site.key}`,
        'content-type': 'application/json',
        'content-length': body.length,
      },
    })
    upload.write(body.slice(0, 30))
    const download = request(`${site.url}/timeseries?granularity=hour&start=2000-01-01&end=2049-12-31`, {
      agent,
      headers: { authorization: `Bearer ${site.key}` },
    }).end()
    const [stream] = (await once(download, 'response')) as [IncomingMessage]
    stream.pause()
    await setTimeout(100)
    const stopped = server.stop()
    await setTimeout(200)
    const answered = once(upload, 'response') as Promise<[IncomingMessage]>
    upload.end(body.slice(30))
    const [response] = await answered
    assert.equal(response.statusCode, 201)
    response.resume()
    let text = ''
    for await (const chunk of stream) text += chunk
    assert.equal((JSON.parse(text) as { data: unknown[] }).data.length, 18_263 * 24)
    const answeredAt = performance.now()
    assert.equal(await stopped, 0)
    assert.ok(
      performance.now() - answeredAt < 10_000,
      'and for no connection that its client only keeps open',
    )
  })

  test('ends connections that are idle at once', async () => {
    const server = await startServer()
    const site = new SiteClient(server, await addAccount(server.data))
    await Promise.all(Array.from({ length: 10 }, () => site.stats()))
    const begin = performance.now()
    assert.equal(await server.stop(), 0)
    assert.ok(performance.now() - begin < 10_000)
  })
})

test('SIGINT does the same as SIGTERM', async () => {
  const server = await startServer()
  process.kill(server.pid, 'SIGINT')
  assert.equal(await server.stop(), 0)
})

test('a stop writes down when keys were last used', async () => {
  const server = await startServer()
  const account = await addAccount(server.data)
  const list = () =>
    pugmarkJson<{ last_used_at: string | null }[]>(server.data, ['key', 'list', '--user', account.email])
  assert.equal((await list())[0]!.last_used_at, null)
  await new SiteClient(server, account).stats()
  await server.stop()
  const usedAt = (await list())[0]!.last_used_at
  assert.ok(usedAt !== null && Math.abs(Date.parse(usedAt) - Date.now()) < 60_000, String(usedAt))
})
