/** The breakdown report: counts of a site over a range, by page, country, company, purpose, bot, assistant or conversion. */
import Type, { type Static } from 'typebox'
import { type DateRange, formatDay } from '../domain/date-range.ts'
import type { EventType } from '../domain/event.ts'
import { addDecimals, fromDecimal, toDecimal, zeroSum } from '../domain/money.ts'
import type {
  BreakdownRow,
  EventFilter,
  EventStore,
  Dimension as StoredDimension,
  TypeCounts,
} from '../storage/event-store.ts'
import { createTraits, filtersNames, passingNames, type ReportFilter, type TraitsOf } from './known-names.ts'

export const dimensions = ['page', 'country', 'company', 'purpose', 'bot', 'source', 'event'] as const
export type Dimension = (typeof dimensions)[number]
export const Dimension = Type.Unsafe<Dimension>(
  Type.Union(
    dimensions.map(name => Type.Literal(name)),
    { description: 'What the counts are grouped by.' },
  ),
)

const counts = {
  bot_visits: Type.Integer({ minimum: 0 }),
  referrals: Type.Integer({ minimum: 0 }),
  conversions: Type.Integer({ minimum: 0 }),
  value: Type.Number({ description: 'Sum of the values of the conversions.' }),
}

export const BreakdownReport = Type.Object(
  {
    period: Type.Object({
      start: Type.String({ format: 'date', description: 'First day of the range, inclusive.' }),
      end: Type.String({ format: 'date', description: 'Last day of the range, inclusive.' }),
    }),
    dimension: Dimension,
    totals: Type.Object(counts, { description: 'Counts of all events that pass the filters.' }),
    rows: Type.Array(
      Type.Object({
        name: Type.String({
          description:
            'Page path, ISO country code, company, purpose, bot, assistant or conversion; empty when an event has none.',
        }),
        ...counts,
      }),
      { description: 'By the count of `type`, or of all types together, descending, then by name.' },
    ),
    row_count: Type.Integer({
      minimum: 0,
      description: 'Number of all rows, including those beyond the limit.',
    }),
  },
  { title: 'Breakdown' },
)
export type BreakdownReport = Static<typeof BreakdownReport>

export interface BreakdownQuestion {
  readonly range: DateRange
  readonly dimension: Dimension
  readonly filter: ReportFilter
  readonly limit: number
}

export async function breakdownReport(
  events: EventStore,
  site: number,
  { range, dimension, filter, limit }: BreakdownQuestion,
): Promise<BreakdownReport> {
  const traitsOf = createTraits()
  const onEvents = await eventFilter(events, site, range, filter, traitsOf)
  const found = await events.breakdown(site, {
    range,
    filter: onEvents,
    dimensions: [storedDimension(dimension)],
    orderBy: filter.type,
    limit: dimension === 'page' ? limit : null,
  })
  const rows = groupRows(found.rows, row => groupOf(row, dimension, traitsOf))
    .filter(row => weight(row, filter.type) > 0)
    .sort((a, b) => weight(b, filter.type) - weight(a, filter.type) || compare(a.name, b.name))
  const totals = dimension === 'page' ? await totalsOf(events, site, range, onEvents) : sumCounts(found.rows)
  return {
    period: { start: formatDay(range.start), end: formatDay(range.end) },
    dimension,
    totals: shown(totals),
    rows: rows.slice(0, limit).map(row => ({ name: row.name, ...shown(row) })),
    row_count: dimension === 'page' ? found.rowCount : rows.length,
  }
}

/** Translates a filter for the store. The store knows no companies and purposes, so they become the list of names that have them. */
export async function eventFilter(
  events: EventStore,
  site: number,
  range: DateRange,
  filter: ReportFilter,
  traitsOf: TraitsOf,
): Promise<EventFilter> {
  const names = filtersNames(filter) ? passingNames(filter, traitsOf, await events.counts(site, range)) : null
  return { names, path: filter.page, country: filter.country }
}

/** Counts of all events that pass a filter. */
export async function totalsOf(
  events: EventStore,
  site: number,
  range: DateRange,
  filter: EventFilter,
): Promise<Counts> {
  const { rows } = await events.breakdown(site, { range, filter, dimensions: [], orderBy: null, limit: null })
  return sumCounts(rows)
}

const storedDimension = (dimension: Dimension): StoredDimension =>
  dimension === 'page' || dimension === 'country' ? dimension : 'name'

/** The group of a row; null when the row does not belong to the dimension. */
function groupOf(
  { subject, page, country }: BreakdownRow,
  dimension: Dimension,
  traitsOf: TraitsOf,
): string | null {
  switch (dimension) {
    case 'page':
      return page!
    case 'country':
      return country!
    case 'company':
      return traitsOf(subject!.type, subject!.name, subject!.company).company
    case 'purpose':
      return traitsOf(subject!.type, subject!.name, subject!.company).purpose
    case 'bot':
    case 'source':
    case 'event': {
      const type = ({ bot: 'bot', source: 'referral', event: 'conversion' } as const)[dimension]
      return subject!.type === type ? subject!.name : null
    }
  }
}

export type Counts = TypeCounts & { readonly value: number }
export type NamedCounts = Counts & { readonly name: string }

/** Adds up the rows of each group. Rows with the group null are left out. */
export function groupRows(
  rows: readonly BreakdownRow[],
  nameOf: (row: BreakdownRow) => string | null,
): NamedCounts[] {
  const groups = Map.groupBy(rows, nameOf)
  groups.delete(null)
  return Array.from(groups as Map<string, BreakdownRow[]>, ([name, group]) => ({ name, ...sumCounts(group) }))
}

export function sumCounts(rows: readonly Counts[]): Counts {
  const sum = (type: EventType): number => rows.reduce((total, row) => total + row[type], 0)
  const value = rows.map(row => toDecimal(row.value)).reduce(addDecimals, zeroSum)
  return {
    bot: sum('bot'),
    referral: sum('referral'),
    conversion: sum('conversion'),
    value: fromDecimal(value),
  }
}

const weight = (row: Counts, type: EventType | null): number =>
  type === null ? row.bot + row.referral + row.conversion : row[type]

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const shown = ({ bot, referral, conversion, value }: Counts): BreakdownReport['totals'] => ({
  bot_visits: bot,
  referrals: referral,
  conversions: conversion,
  value,
})
