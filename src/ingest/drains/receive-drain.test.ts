/** Deliveries into a real store: what is recorded, what counts once, and what the load of the site becomes. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Request, vercelBuildEntry, vercelEntry } from '../../../tests/support/drain-payloads.ts'
import { detector, firefox, gptBot, now, openImportBench } from '../../../tests/support/import-bench.ts'
import type { Account, Site } from '../../domain/account.ts'
import { dayOf } from '../../domain/date-range.ts'
import type { DrainKind } from '../../domain/event.ts'
import { MemoryBudget } from './memory-budget.ts'
import { type DrainReport, receiveDrain } from './receive-drain.ts'

const { store, newSite, eventsOf } = await openImportBench()
const parts = { detector, countryOf: () => 'ZZ', clock: () => now }

async function deliver(
  site: Site,
  id: string,
  entries: object[],
  kind: DrainKind = 'vercel',
): Promise<DrainReport> {
  const account: Account = {
    id: 'usr_1',
    number: site.number,
    email: 'a@example.org',
    plan: 'pro',
    isOwner: false,
    createdAt: 0,
  }
  const plan = { requestsPerMinute: 1, hourlySeries: true, eventsPerMonth: null }
  const memory = new MemoryBudget(10_000_000, 10_000_000).claim('a')
  const body = Buffer.from(JSON.stringify(entries))
  const { response } = await receiveDrain(store, parts, { kind, site, account, plan, body, id, memory })
  return JSON.parse(response)
}

const request = (id: string, chosen: Partial<Request> = {}): Request => ({
  method: 'GET',
  path: `/${id}`,
  status: 200,
  userAgent: gptBot,
  referrer: '',
  address: '192.0.2.7',
  time: now - 60_000,
  id,
  ...chosen,
})

const loadOf = async (site: Site): Promise<Record<string, number>> => {
  const day = dayOf(now)
  const rows = await store.load(site.number, { start: day - 1, end: day })
  return Object.fromEntries(rows.map(({ kind, requests }) => [kind, requests]))
}

describe('a delivery', () => {
  test('whose requests have several entries counts each request once, in events and in the load', async () => {
    const site = newSite()
    const person = request('person', { userAgent: firefox })
    const report = await deliver(site, 'one', [
      vercelEntry(request('bot'), 1),
      vercelEntry(request('bot'), 2),
      vercelEntry(person, 1),
      vercelEntry(person, 2),
      vercelBuildEntry,
      {},
    ])
    assert.deepEqual(report, {
      received: 6,
      recorded: { bot: 1, referral: 0 },
      ignored: { 'no-assistant': 2 },
      malformed: 1,
      duplicate: 1,
      other: 1,
    })
    assert.deepEqual(await loadOf(site), { 'ai-bot': 1, person: 1 })
  })

  test('that comes again changes nothing, also when some of its requests are new', async () => {
    const site = newSite()
    const entry = vercelEntry(request('first'))
    await deliver(site, 'one', [entry])
    await deliver(site, 'one', [entry])
    const report = await deliver(site, 'two', [entry, vercelEntry(request('second'))])
    assert.deepEqual([report.recorded.bot, report.duplicate], [1, 1])
    assert.deepEqual(await loadOf(site), { 'ai-bot': 2 })
  })

  test('keeps bytes and durations where the service tells them', async () => {
    const site = newSite()
    const entry = {
      log_type: 'traffic',
      method: 'GET',
      url: 'https://example.com/a',
      status_code: 200,
      timestamp: new Date(now).toISOString(),
      user_agent: gptBot,
      request_id: 'a',
      response_size: 2326,
      duration: 12,
    }
    await deliver(site, 'one', [entry], 'netlify')
    const [event] = await eventsOf(site)
    assert.deepEqual([event?.bytes, event?.durationMs, event?.status], [2326, 12, 200])
  })
})
