/** What was acknowledged survives: the server is killed again and again in the middle of recording, and nothing is lost, doubled or halved. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { addAccount } from '../support/accounts.ts'
import type { Answer } from '../support/ask.ts'
import { type RunningServer, startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const kills = 12
const connections = 8
const settings = { PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '1000000', PUGMARK_LOG_LEVEL: 'error' }
const dayMs = 86_400_000

/** A batch has a page of its own, so that the list of events tells what became of it. */
interface Batch {
  readonly page: string
  readonly size: number
  readonly body: string
  readonly place: 'events' | 'hits'
  /** Sent with a key, a batch without an answer can be sent again; without one, it may be there or not. */
  readonly key: string | null
}

function newBatch(round: number, connection: number, n: number): Batch {
  const page = `/round-${round}/connection-${connection}/${n}`
  // Half the connections send single events, as trackers do.
  const size = connection % 2 === 0 ? 1 : 1 + Math.floor(Math.random() * 200)
  const place = connection % 4 === 3 ? 'hits' : 'events'
  const body = Array.from({ length: size }, (_, i) => {
    // Late and early ones: they must find their place among what is stored.
    const time = new Date(Date.now() - Math.floor(Math.random() * 5 * dayMs)).toISOString()
    if (place === 'hits') return { url: `${page}?n=${i}`, user_agent: 'GPTBot/1.4', timestamp: time }
    return {
      type: 'conversion',
      event_name: `event-${i % 7}`,
      event_value: 0.1,
      page_path: page,
      created_at: time,
    }
  })
  return {
    page,
    size,
    place,
    body: JSON.stringify(body),
    key: connection % 3 === 0 ? `key-of-${page}` : null,
  }
}

const send = (site: SiteClient, { place, body, key }: Batch): Promise<Answer> =>
  site.post(place, body, key === null ? {} : { 'idempotency-key': key })

test(`kill -9 in the middle of sustained recording, ${kills} times: every acknowledged event is there exactly once`, async () => {
  const data = temporaryFolder()
  let server: RunningServer = await startServer({ data, settings })
  const account = await addAccount(data)
  const acknowledged = new Map<string, number>()
  const unanswered: Batch[] = []

  for (let round = 0; round < kills; round++) {
    const site = new SiteClient(server, account)
    let isAlive = true
    const record = async (connection: number): Promise<void> => {
      for (let n = 0; isAlive; n++) {
        const batch = newBatch(round, connection, n)
        const answer = await send(site, batch).catch(() => null)
        if (answer === null) unanswered.push(batch)
        else {
          assert.ok(answer.status === 200 || answer.status === 201, answer.text)
          acknowledged.set(batch.page, batch.size)
        }
      }
    }
    const recording = Promise.all(Array.from({ length: connections }, (_, connection) => record(connection)))
    await setTimeout(100 + Math.random() * 400)
    await server.kill()
    isAlive = false
    await recording
    server = await startServer({ data, settings })
    const again = new SiteClient(server, account)
    for (const batch of unanswered.filter(({ key, page }) => key !== null && !acknowledged.has(page))) {
      const answer = await send(again, batch)
      assert.ok(answer.status === 200 || answer.status === 201, answer.text)
      acknowledged.set(batch.page, batch.size)
    }
  }

  const site = new SiteClient(server, account)
  const found = new Map<string, number>()
  const events = await site.allEvents({ limit: 1_000 })
  for (const { page_path } of events) found.set(page_path, (found.get(page_path) ?? 0) + 1)
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length, 'ids are unique through all crashes')
  for (const [page, size] of acknowledged) assert.equal(found.get(page), size, `${page} was acknowledged`)
  for (const { page, size } of unanswered.filter(batch => !acknowledged.has(batch.page)))
    assert.ok([undefined, size].includes(found.get(page)), `${page} is there whole or not at all`)
  const known = new Set([...acknowledged.keys(), ...unanswered.map(({ page }) => page)])
  assert.deepEqual(
    [...found.keys()].filter(page => !known.has(page)),
    [],
  )
  assert.ok(acknowledged.size > 10 * kills, `recording was sustained: ${acknowledged.size} batches`)

  await assertRollUpsAgree(site, events)
  assert.equal(await server.stop(), 0)
})

/** Stats, series, breakdown and quota are counted apart from the list of events: all must say the same. */
async function assertRollUpsAgree(
  site: SiteClient,
  events: Awaited<ReturnType<SiteClient['allEvents']>>,
): Promise<void> {
  const countOf = (type: string) => events.filter(event => event.type === type).length
  const totals = { bot_visits: countOf('bot'), referrals: 0, conversions: countOf('conversion') }
  const stats = await site.stats()
  assert.deepEqual(stats.totals, totals)
  assert.equal(
    stats.bot_breakdown.reduce((sum, { count }) => sum + count, 0),
    totals.bot_visits,
  )
  assert.equal(
    stats.conversion_breakdown.reduce((sum, { count }) => sum + count, 0),
    totals.conversions,
  )
  for (const { count, value } of stats.conversion_breakdown) assert.equal(value, Math.round(count) / 10)
  for (const granularity of ['day', 'hour']) {
    const { data } = await site.timeseries({ granularity })
    assert.equal(
      data.reduce((sum, { bot_visits }) => sum + bot_visits, 0),
      totals.bot_visits,
    )
    assert.equal(
      data.reduce((sum, { conversions }) => sum + conversions, 0),
      totals.conversions,
    )
  }
  const sites = (await site.ask('../../sites')).json<{ sites: { events_this_month: number }[] }>()
  assert.equal(sites.sites[0]!.events_this_month, events.length)
}
