/** Stats put together from bytes must be what JSON.stringify gives, whatever the names and numbers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../tests/support/any-text.ts'
import { formatDay, lastDay } from '../domain/date-range.ts'
import { type EventType, eventTypes } from '../domain/event.ts'
import type { CountsByName, EventStore, NameColumns, NameCount } from '../storage/event-store.ts'
import { StatsJson } from './stats.ts'

/** Names come again with other companies, as kinds of their own, and in other answers. */
const name = fc.oneof(fc.constantFrom('GPTBot', 'a "quoted" name', '\u2028', 'ünï'), anyText())
const count = fc.oneof(fc.nat({ max: 120 }), fc.nat({ max: 2 ** 48 }))
const value = fc.oneof(
  fc.constant(0),
  fc.integer({ min: -1e9, max: 1e9 }).map(cents => cents / 100),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
const rows = fc.array(fc.record<NameCount>({ name, company: name, count, value }), { maxLength: 12 })
const question = fc.record({
  counts: fc.record<CountsByName>({ bot: rows, referral: rows, conversion: rows }),
  range: fc
    .tuple(fc.nat({ max: lastDay }), fc.nat({ max: lastDay }))
    .map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) })),
})

/** Memory that was used before. */
const filled = (length: number): Buffer => Buffer.alloc(length, '7')

const numbers = new Map<string, number>()

/** As an engine gives them, which keeps its columns and uses them again. */
function columnsOf(counts: CountsByName): NameColumns {
  const rows = eventTypes.flatMap(type => counts[type].map(row => ({ type, ...row })))
  const numberOf = ({ type, name, company }: { type: EventType; name: string; company: string }): number => {
    const key = JSON.stringify([type, name, company])
    if (!numbers.has(key)) numbers.set(key, numbers.size * 7)
    return numbers.get(key)!
  }
  const { bot, referral, conversion } = counts
  return {
    ends: [bot.length, bot.length + referral.length, bot.length + referral.length + conversion.length],
    numbers: Uint32Array.from([...rows.map(numberOf), 4_000_000_000]),
    counts: Float64Array.from([...rows.map(({ count }) => count), 99]),
    values: Float64Array.from([...rows.map(({ value }) => value), 99]),
    subjectAt: row => rows[row]!,
  }
}

const json = new StatsJson()

const total = (of: readonly NameCount[]): number => of.reduce((sum, row) => sum + row.count, 0)

test('stats of any names and numbers', () => {
  fc.assert(
    fc.property(question, ({ counts, range }) => {
      const { bot, referral, conversion } = counts
      const store: Pick<EventStore, 'withCounts'> = {
        withCounts: (_site, _range, read) => read(columnsOf(counts)),
      }
      const bytes = json.build(store, 1, range, filled) as Buffer
      assert.equal(
        bytes.toString(),
        JSON.stringify({
          period: { start: formatDay(range.start), end: formatDay(range.end) },
          totals: { bot_visits: total(bot), referrals: total(referral), conversions: total(conversion) },
          bot_breakdown: bot.map(({ name, company, count }) => ({
            bot_name: name,
            bot_company: company,
            count,
          })),
          referral_breakdown: referral.map(({ name, count }) => ({ source: name, count })),
          conversion_breakdown: conversion.map(({ name, count, value }) => ({
            event_name: name,
            count,
            value,
          })),
        }),
      )
    }),
    { numRuns: 300 },
  )
})
