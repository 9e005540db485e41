/** start and end: real calendar days, both inclusive, in UTC, with their defaults; held to models that share no code with the server. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { addAccount } from '../support/accounts.ts'
import { errorOf } from '../support/ask.ts'
import { startClockedServer } from '../support/clocked-server.ts'
import { SiteClient } from '../support/site-client.ts'

const server = await startClockedServer({
  now: '2026-03-01T00:00:00.000Z',
  settings: { PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '1000000' },
})
after(() => server.stop())
const client = new SiteClient(server, await addAccount(server.data))
const operations = ['stats', 'timeseries', 'events', 'breakdown'] as const

async function assertInvalid(query: string): Promise<string> {
  for (const operation of operations) {
    const answer = await client.ask(`${operation}?${query}`)
    assert.deepEqual(
      [answer.status, errorOf(answer).code],
      [400, 'INVALID_DATE_RANGE'],
      `${operation}?${query}`,
    )
  }
  return errorOf(await client.ask(`stats?${query}`)).error
}

describe('start and end', () => {
  test('default to 7 days before today and to today, each on its own, by the UTC day', async () => {
    const period = async (query: string) =>
      (await client.ask(`stats?${query}`)).json<{ period: { start: string; end: string } }>().period
    for (const [now, start, end] of [
      ['2026-03-01T00:00:00.000Z', '2026-02-22', '2026-03-01'],
      ['2026-03-01T23:59:59.999Z', '2026-02-22', '2026-03-01'],
      ['2026-03-02T00:00:00.000Z', '2026-02-23', '2026-03-02'],
      ['2028-03-03T12:00:00.000Z', '2028-02-25', '2028-03-03'],
    ] as const) {
      server.now = Date.parse(now)
      assert.deepEqual(await period(''), { start, end })
      assert.deepEqual(await period(`start=2026-01-01`), { start: '2026-01-01', end })
      assert.deepEqual(await period(`end=2099-12-31`), { start, end: '2099-12-31' })
    }
    // The default of the one can lie behind the other.
    await assertInvalid('start=2099-01-01')
    await assertInvalid('end=2020-01-01')
  })

  test('are echoed as the period in force', async () => {
    for (const [start, end] of [
      ['1970-01-01', '9999-12-31'],
      ['2024-02-29', '2024-02-29'],
      ['2026-01-01', '2026-12-31'],
    ])
      assert.deepEqual((await client.stats({ start: start!, end: end! })).period, { start, end })
  })

  test('are the same for all three operations', async () => {
    server.now = Date.parse('2026-03-10T10:00:00Z')
    const series = await client.timeseries()
    assert.deepEqual(
      series.data.map(point => ('date' in point ? point.date : '')),
      ['03', '04', '05', '06', '07', '08', '09', '10'].map(day => `2026-03-${day}`),
    )
  })

  test('start after end is 400 INVALID_DATE_RANGE, and the message names both', async () => {
    const message = await assertInvalid('start=2026-02-02&end=2026-02-01')
    assert.match(message, /2026-02-02.*2026-02-01/)
  })

  const invalid = [
    ...[
      '',
      '2026-02-30',
      '2025-02-29',
      '1900-02-29',
      '2026-04-31',
      '2026-00-10',
      '2026-13-01',
      '2026-01-00',
      '2026-01-32',
    ],
    ...['1969-12-31', '0000-01-01', '10000-01-01', '+02026-01-01', '-2026-01-01', '%2B2026-01-01'],
    ...[
      '2026-1-1',
      '26-01-01',
      '20260101',
      '2026/01/01',
      '01-01-2026',
      '2026-01',
      '2026',
      '2026-W01-1',
      '2026-001',
    ],
    ...[
      '2026-01-01T00:00:00Z',
      '2026-01-01Z',
      '%202026-01-01',
      '2026-01-01%20',
      '2026-01-01%0A',
      '2026-01-01%00',
    ],
    ...[
      'today',
      'null',
      'NaN',
      '1767225600',
      '０２０２６-01-01',
      '２０２６-０１-０１',
      '2026‐01‐01',
      "2026-01-01'--",
      '2026-01-01,2026-01-02',
    ],
  ]
  for (const parameter of ['start', 'end']) {
    test(`an invalid ${parameter} is 400 INVALID_DATE_RANGE that names it and YYYY-MM-DD`, async () => {
      for (const text of invalid) {
        const message = await assertInvalid(
          `${parameter}=${text.includes('%') ? text : encodeURIComponent(text)}`,
        )
        assert.ok(message.includes(parameter) && message.includes('YYYY-MM-DD'), message)
      }
    })

    test(`a repeated ${parameter} is 400 INVALID_DATE_RANGE, even with the same value twice`, async () => {
      await assertInvalid(`${parameter}=2026-01-01&${parameter}=2026-01-01`)
      await assertInvalid(`${parameter}=2026-01-01&${parameter}=`)
    })
  }

  test('are 200 exactly for what a calendar calls real days in order, for any year, month and day', async () => {
    await fc.assert(
      fc.asyncProperty(anyDate, anyDate, async (start, end) => {
        const answer = await client.ask(`stats?start=${textOf(start)}&end=${textOf(end)}`)
        const isValid = isRealDay(start) && isRealDay(end) && textOf(start) <= textOf(end)
        assert.equal(answer.status, isValid ? 200 : 400)
        if (!isValid) assert.equal(errorOf(answer).code, 'INVALID_DATE_RANGE')
      }),
      { numRuns: 400 },
    )
  })
})

interface CalendarDate {
  readonly year: number
  readonly month: number
  readonly day: number
}

const anyDate: fc.Arbitrary<CalendarDate> = fc.record({
  year: fc.oneof(fc.integer({ min: 1_960, max: 2_110 }), fc.integer({ min: 0, max: 10_050 })),
  month: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 12 }) }, fc.integer({ min: 0, max: 14 })),
  day: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 28 }) },
    { weight: 3, arbitrary: fc.integer({ min: 28, max: 32 }) },
    fc.integer({ min: 0, max: 40 }),
  ),
})

const textOf = ({ year, month, day }: CalendarDate): string =>
  [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')

/** The calendar as a school book has it. */
function isRealDay({ year, month, day }: CalendarDate): boolean {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  return year >= 1970 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1]!
}

describe('a range', () => {
  test('holds the first and the last millisecond of both its days, and nothing outside, whatever zone a sender writes in', async () => {
    const edges = new SiteClient(server, await addAccount(server.data))
    const moments = [
      '2026-02-09T23:59:59.999Z',
      '2026-02-10T00:00:00.000Z',
      '2026-02-10T23:59:59.999Z',
      '2026-02-11T00:00:00.000Z',
      '2026-02-12T01:30:00.000+05:30', // 2026-02-11T20:00Z
      '2026-02-11T20:00:00.000-04:00', // 2026-02-12T00:00Z
    ]
    await edges.record(
      moments.map(created_at => ({
        type: 'bot',
        bot_name: 'B',
        bot_company: 'C',
        page_path: '/',
        created_at,
      })),
    )
    const count = async (start: string, end: string) => (await edges.stats({ start, end })).totals.bot_visits
    assert.equal(await count('2026-02-10', '2026-02-10'), 2)
    assert.equal(await count('2026-02-11', '2026-02-11'), 2)
    assert.equal(await count('2026-02-09', '2026-02-10'), 3)
    assert.equal(await count('2026-02-12', '2026-02-12'), 1)
    assert.equal(await count('2026-02-01', '2026-02-28'), 6)
  })

  test('gives in stats, timeseries and events exactly what a count of the sent events by their text gives', async () => {
    const random = new SiteClient(server, await addAccount(server.data))
    const sent = fc.sample(anyEvent, { numRuns: 600, seed: 7 })
    await random.record(sent)
    const anyDay = fc
      .integer({ min: 0, max: 42 })
      .map(offset => new Date(firstMs + (offset - 1) * 86_400_000).toISOString().slice(0, 10))
    await fc.assert(
      fc.asyncProperty(anyDay, anyDay, async (one, other) => {
        const [start, end] = one < other ? [one, other] : [other, one]
        const within = sent.filter(
          ({ created_at }) => created_at.slice(0, 10) >= start && created_at.slice(0, 10) <= end,
        )
        const countOf = (events: typeof sent) => ({
          bot_visits: events.filter(({ type }) => type === 'bot').length,
          referrals: events.filter(({ type }) => type === 'referral').length,
          conversions: events.filter(({ type }) => type === 'conversion').length,
        })
        assert.deepEqual((await random.stats({ start, end })).totals, countOf(within))
        for (const point of (await random.timeseries({ start, end })).data) {
          assert.ok('date' in point)
          const { date, ...counts } = point
          assert.deepEqual(counts, countOf(within.filter(({ created_at }) => created_at.startsWith(date))))
        }
        for (const point of (await random.timeseries({ start, end, granularity: 'hour' })).data) {
          assert.ok('datetime' in point)
          const { datetime, ...counts } = point
          const hour = datetime.slice(0, 13).replace(' ', 'T')
          assert.deepEqual(counts, countOf(within.filter(({ created_at }) => created_at.startsWith(hour))))
        }
        const listed = await random.allEvents({ start, end, limit: 100 })
        assert.deepEqual(
          listed.map(({ created_at }) => created_at),
          within
            .map(({ created_at }) => created_at)
            .sort()
            .reverse(),
        )
      }),
      { numRuns: 40 },
    )
  })
})

const firstMs = Date.parse('2026-01-10T00:00:00Z')

/** In 40 days, often at the very edge of an hour or day. */
const anyEvent = fc
  .record({
    type: fc.constantFrom('bot', 'referral', 'conversion'),
    hour: fc.integer({ min: 0, max: 40 * 24 - 1 }),
    ms: fc.oneof(fc.constantFrom(0, 3_599_999), fc.integer({ min: 0, max: 3_599_999 })),
  })
  .map(({ type, hour, ms }) => ({
    type,
    page_path: '/',
    created_at: new Date(firstMs + hour * 3_600_000 + ms).toISOString(),
    ...(type === 'bot' && { bot_name: 'B', bot_company: 'C' }),
    ...(type === 'referral' && { source: 'S' }),
    ...(type === 'conversion' && { event_name: 'E' }),
  }))
