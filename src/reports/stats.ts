/** The stats report: totals and three breakdowns of one site over a range of days. */
import Type, { type Static } from 'typebox'
import { type DateRange, formatDay } from '../domain/date-range.ts'
import type { EventStore, NameCount } from '../storage/event-store.ts'

const Count = Type.Integer({ minimum: 0 })

export const StatsReport = Type.Object(
  {
    period: Type.Object({
      start: Type.String({ format: 'date', description: 'First day of the range, inclusive.' }),
      end: Type.String({ format: 'date', description: 'Last day of the range, inclusive.' }),
    }),
    totals: Type.Object({
      bot_visits: Type.Integer({ minimum: 0, description: 'AI bot crawls.' }),
      referrals: Type.Integer({ minimum: 0, description: 'Clicks sent by assistants.' }),
      conversions: Type.Integer({ minimum: 0, description: 'Conversion events.' }),
    }),
    bot_breakdown: Type.Array(
      Type.Object({ bot_name: Type.String(), bot_company: Type.String(), count: Count }),
      { description: 'By count, descending, then by name.' },
    ),
    referral_breakdown: Type.Array(Type.Object({ source: Type.String(), count: Count }), {
      description: 'By count, descending, then by name.',
    }),
    conversion_breakdown: Type.Array(
      Type.Object({
        event_name: Type.String(),
        count: Count,
        value: Type.Number({ description: 'Sum of the values of this event name; 0 when none is set.' }),
      }),
      { description: 'By count, descending, then by name.' },
    ),
  },
  { title: 'Stats' },
)
export type StatsReport = Static<typeof StatsReport>

export async function statsReport(events: EventStore, site: number, range: DateRange): Promise<StatsReport> {
  const { bot, referral, conversion } = await events.counts(site, range)
  return {
    period: { start: formatDay(range.start), end: formatDay(range.end) },
    totals: { bot_visits: total(bot), referrals: total(referral), conversions: total(conversion) },
    bot_breakdown: bot.map(({ name, company, count }) => ({ bot_name: name, bot_company: company, count })),
    referral_breakdown: referral.map(({ name, count }) => ({ source: name, count })),
    conversion_breakdown: conversion.map(({ name, count, value }) => ({ event_name: name, count, value })),
  }
}

const total = (counts: readonly NameCount[]): number => counts.reduce((sum, { count }) => sum + count, 0)
