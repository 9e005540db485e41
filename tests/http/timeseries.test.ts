/** GET …/timeseries: points by day and hour without gaps, the plan that hours need, and series too long for one piece. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { dayMs, hourMs } from '../../src/domain/date-range.ts'
import type { TimeseriesReport } from '../../src/reports/timeseries.ts'
import { addAccount } from '../support/accounts.ts'
import { errorOf } from '../support/ask.ts'
import { startClockedServer } from '../support/clocked-server.ts'
import { pugmarkJson } from '../support/program.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'

const server = await startServer()
after(() => server.stop())
const account = await addAccount(server.data)
const site = new SiteClient(server, account)
const at = (created_at: string, more: object = { type: 'referral', source: 'ChatGPT' }) => ({
  page_path: '/',
  created_at,
  ...more,
})
await site.record([
  at('2026-02-27T23:59:59.999Z'),
  at('2026-03-01T00:00:00Z'),
  at('2026-03-01T00:59:59Z', { type: 'bot', bot_name: 'GPTBot', bot_company: 'OpenAI' }),
  at('2026-03-01T23:00:00Z', { type: 'conversion', event_name: 'signup' }),
])
const zero = { bot_visits: 0, referrals: 0, conversions: 0 }

describe('granularity=day', () => {
  test('is the default; each point has date as YYYY-MM-DD and the three counts, and buckets without events are zeros', async () => {
    const expected = {
      granularity: 'day',
      data: [
        { date: '2026-02-27', ...zero, referrals: 1 },
        { date: '2026-02-28', ...zero },
        { date: '2026-03-01', bot_visits: 1, referrals: 1, conversions: 1 },
        { date: '2026-03-02', ...zero },
      ],
    }
    const range = { start: '2026-02-27', end: '2026-03-02' }
    assert.deepEqual(await site.timeseries(range), expected)
    assert.deepEqual(await site.timeseries({ ...range, granularity: 'day' }), expected)
  })

  test('is available on all plans', async () => {
    const free = new SiteClient(server, await addAccount(server.data, { plan: 'free' }))
    assert.equal((await free.timeseries({ granularity: 'day' })).data.length, 8)
  })
})

describe('granularity=hour', () => {
  test('has points with datetime as YYYY-MM-DD HH:00, 24 a day, from the first hour of start to the last of end', async () => {
    const { granularity, data } = await site.timeseries({
      granularity: 'hour',
      start: '2026-02-28',
      end: '2026-03-01',
    })
    assert.equal(granularity, 'hour')
    const expected = ['2026-02-28', '2026-03-01'].flatMap(day =>
      Array.from({ length: 24 }, (_, hour) => ({
        datetime: `${day} ${String(hour).padStart(2, '0')}:00`,
        ...zero,
      })),
    )
    Object.assign(expected[24]!, { bot_visits: 1, referrals: 1 })
    Object.assign(expected[47]!, { conversions: 1 })
    assert.deepEqual(data, expected)
  })

  test('on a plan without hourly access is 403 PLAN_REQUIRED, and 200 from the next request on after the plan was changed', async () => {
    const free = await addAccount(server.data, { plan: 'free' })
    const client = new SiteClient(server, free)
    const refused = await client.ask('timeseries?granularity=hour')
    assert.deepEqual([refused.status, errorOf(refused).code], [403, 'PLAN_REQUIRED'])
    await pugmarkJson(server.data, ['user', 'plan', free.email, 'pro'])
    const allowed = await client.ask('timeseries?granularity=hour')
    assert.equal(allowed.status, 200)
    await pugmarkJson(server.data, ['user', 'plan', free.email, 'free'])
    const again = await client.ask('timeseries?granularity=hour', {
      headers: { 'if-none-match': allowed.headers.etag },
    })
    assert.equal(again.status, 403, 'not 304: what may be seen is asked first')
  })

  test('shows the hours of today that are still to come, as zeros', async () => {
    const clocked = await startClockedServer({ now: '2026-03-10T05:30:00Z' })
    try {
      const today = new SiteClient(clocked, await addAccount(clocked.data))
      const { data } = await today.timeseries({ granularity: 'hour', start: '2026-03-10' })
      assert.equal(data.length, 24)
      assert.deepEqual(data.at(-1), { datetime: '2026-03-10 23:00', ...zero })
    } finally {
      await clocked.stop()
    }
  })

  test('is a matter of the plan table: a setting opens it to Free and closes it to Pro', async () => {
    const settings = { PUGMARK_PLAN_FREE_HOURLY_SERIES: 'true', PUGMARK_PLAN_PRO_HOURLY_SERIES: 'false' }
    const swapped = await startServer({ settings })
    try {
      for (const [plan, status] of [
        ['free', 200],
        ['pro', 403],
      ] as const) {
        const client = new SiteClient(swapped, await addAccount(swapped.data, { plan }))
        assert.equal((await client.ask('timeseries?granularity=hour')).status, status)
      }
    } finally {
      await swapped.stop()
    }
  })
})

test('readers that stop in the middle get their own series whole, whatever others ask meanwhile', async () => {
  const first = Date.UTC(2026, 0, 1)
  const answersOfEach = 90
  const dayOfIndex = (i: number): string => new Date(first + i * dayMs).toISOString().slice(0, 10)
  /** Asks for the 30 days from each of many days on, all at once, and reads late. Each answer is another one, so none is remembered. */
  const readLate = async (perHour: number): Promise<void> => {
    const owner = await addAccount(server.data)
    const client = new SiteClient(server, owner)
    await client.record(
      Array.from({ length: 24 * perHour }, (_, i) =>
        at(new Date(first + Math.floor(i / perHour) * hourMs).toISOString()),
      ),
    )
    const requests = Array.from({ length: answersOfEach }, (_, i) => {
      const query = `granularity=hour&start=${dayOfIndex(i - 29)}&end=${dayOfIndex(i)}`
      const close = i + 1 === answersOfEach ? 'Connection: close\r\n' : ''
      return `GET /api/v1/sites/${owner.site.id}/timeseries?${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner.key}\r\n${close}\r\n`
    })
    const socket = connect(server.port, '127.0.0.1')
    socket.write(requests.join(''))
    await setTimeout(500)
    const bodies = (await text(socket)).match(/\{"granularity":[^\]]*\]\}/g)!
    assert.equal(bodies.length, answersOfEach)
    for (const [i, body] of bodies.entries()) {
      const { data } = JSON.parse(body) as { data: { datetime: string; referrals: number }[] }
      assert.equal(data.length, 720)
      assert.equal(data[0]?.datetime, `${dayOfIndex(i - 29)} 00:00`)
      const busy = data.filter(({ referrals }) => referrals !== 0)
      assert.equal(busy.length, i < 30 ? 24 : 0)
      assert.ok(busy.every(({ referrals }) => referrals === perHour))
    }
  }
  await Promise.all([1, 2, 30].map(readLate))
})

test('an unknown, empty or repeated granularity is 400 INVALID_PARAMETER', async () => {
  for (const query of [
    'granularity=week',
    'granularity=',
    'granularity=Day',
    'granularity=day&granularity=day',
    'granularity=day,hour',
  ]) {
    const answer = await site.ask(`timeseries?${query}`)
    assert.deepEqual([answer.status, errorOf(answer).code], [400, 'INVALID_PARAMETER'], query)
  }
})

describe('a long series', () => {
  const hourly = (start: string, end: string) => `timeseries?granularity=hour&start=${start}&end=${end}`

  /** Compared in one piece: an assertion a point would take longer than the series. */
  const labelsOf = (
    firstMs: number,
    count: number,
    stepMs: number,
    label: (iso: string) => string,
  ): string[] =>
    Array.from({ length: count }, (_, index) => label(new Date(firstMs + index * stepMs).toISOString()))

  test('of 1,000 years has every day up to 9999-12-31, each once and in order', async () => {
    const { data } = await site.timeseries({ start: '9000-01-01', end: '9999-12-31' })
    const first = Date.UTC(9000, 0, 1)
    const days = (Date.UTC(9999, 11, 31) - first) / 86_400_000 + 1
    const expected = labelsOf(first, days, 86_400_000, iso => iso.slice(0, 10))
    assert.equal(data.map(point => 'date' in point && point.date).join(), expected.join())
  })

  test('of 100 years by hour is whole: every hour once, and its counts are those of the events', async () => {
    const { data } = (await site.ask(hourly('1970-01-01', '2069-12-31'))).json<TimeseriesReport>()
    const expected = labelsOf(0, 36_525 * 24, 3_600_000, iso => `${iso.slice(0, 13).replace('T', ' ')}:00`)
    assert.equal(data.map(point => 'datetime' in point && point.datetime).join(), expected.join())
    const total = (name: 'bot_visits' | 'referrals' | 'conversions') =>
      data.reduce((sum, point) => sum + point[name], 0)
    assert.deepEqual([total('bot_visits'), total('referrals'), total('conversions')], [1, 2, 1])
  })
})
