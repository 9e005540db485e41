/** The breakdown report: counts of a site over a range, by page, country, company, purpose, bot, assistant or conversion. */
import Type, { type Static } from 'typebox'
import { type DateRange, formatDay } from '../domain/date-range.ts'
import type { EventType } from '../domain/event.ts'
import { addDecimals, fromDecimal, toDecimal } from '../domain/money.ts'
import type { EventStore, FacetCount, FacetReport } from '../storage/event-store.ts'
import { createTraits, filtersNames, passingNames, type ReportFilter, type TraitsOf } from './known-names.ts'

export const dimensions = ['page', 'country', 'company', 'purpose', 'bot', 'source', 'event'] as const
export type Dimension = (typeof dimensions)[number]
export const Dimension = Type.Unsafe<Dimension>(
  Type.Union(
    dimensions.map(name => Type.Literal(name)),
    { description: 'What the rows are.' },
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
    totals: Type.Object(counts, { description: 'Of everything that the filters let through.' }),
    rows: Type.Array(
      Type.Object({
        name: Type.String({
          description:
            'Page path, ISO country code, company, purpose, bot, assistant or conversion; empty when an event has none. `other` stands for pages (or countries) beyond those that are kept one by one.',
        }),
        ...counts,
      }),
      { description: 'By the count of `type`, or of all types together, descending, then by name.' },
    ),
    row_count: Type.Integer({ minimum: 0, description: 'Rows there are, listed or not.' }),
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
  const found: Found = isOfNames(dimension, filter)
    ? { names: passingNames(filter, traitsOf, await events.countsByName(site, range)) }
    : await readFacets(events, site, range, filter, dimension === 'page' ? limit : 0, traitsOf)
  const rows = rowsOf(found, dimension, traitsOf)
    .filter(row => weight(row, filter.type) > 0)
    .sort((a, b) => weight(b, filter.type) - weight(a, filter.type) || compare(a.name, b.name))
  const hidden = dimension === 'page' ? found.pageCount! - found.pages!.length : 0
  return {
    period: { start: formatDay(range.start), end: formatDay(range.end) },
    dimension,
    totals: withoutName(toRow(sumRows('', nameCounts(found)))),
    rows: rows.slice(0, limit).map(toRow),
    row_count: rows.length + hidden,
  }
}

/** What the store counted under a filter that may also speak of companies and purposes. */
export async function readFacets(
  events: EventStore,
  site: number,
  range: DateRange,
  filter: ReportFilter,
  pagesMax: number,
  traitsOf: TraitsOf,
): Promise<FacetReport> {
  const names = filtersNames(filter)
    ? passingNames(filter, traitsOf, await events.countsByName(site, range))
    : null
  const onEvents = { names, path: filter.page, country: filter.country }
  return events.facets(site, { range, filter: onEvents, pagesMax, pageOrder: filter.type })
}

/** Such a question needs no more than the counts by name, which are far fewer than those by page and country. */
const isOfNames = (dimension: Dimension, filter: ReportFilter): boolean =>
  dimension !== 'page' && dimension !== 'country' && filter.page === null && filter.country === null

type NameRow = Omit<FacetReport['names'][number], 'days'>
type Names = { readonly names: readonly NameRow[] }
/** Without pages and countries where the question is not about them. */
type Found = Names & Partial<Omit<FacetReport, 'names'>>

function rowsOf(found: Found, dimension: Dimension, traitsOf: TraitsOf): FacetCount[] {
  switch (dimension) {
    case 'page':
      return [...found.pages!, found.otherPages!]
    case 'country':
      return [...found.countries!]
    case 'company':
      return groupNames(found, ({ type, name, company }) => traitsOf(type, name, company).company)
    case 'purpose':
      return groupNames(found, ({ type, name, company }) => traitsOf(type, name, company).purpose)
    case 'bot':
    case 'source':
    case 'event': {
      const type = ({ bot: 'bot', source: 'referral', event: 'conversion' } as const)[dimension]
      return groupNames(found, each => (each.type === type ? each.name : null))
    }
  }
}

/** Adds up the names of each group; those whose group is null are left out. */
export function groupNames({ names }: Names, groupOf: (name: NameRow) => string | null): FacetCount[] {
  const groups = new Map<string, FacetCount[]>()
  for (const name of names) {
    const group = groupOf(name)
    if (group === null) continue
    const rows = groups.get(group) ?? []
    rows.push(nameCount(name))
    groups.set(group, rows)
  }
  return Array.from(groups, ([name, rows]) => sumRows(name, rows))
}

export const nameCounts = ({ names }: Names): FacetCount[] => names.map(nameCount)

const nameCount = ({ type, name, count, value }: NameRow): FacetCount => ({
  ...{ name, bot: 0, referral: 0, conversion: 0, value },
  [type]: count,
})

export function sumRows(name: string, rows: readonly FacetCount[]): FacetCount {
  const sum = (type: EventType): number => rows.reduce((total, row) => total + row[type], 0)
  const value = rows.map(row => toDecimal(row.value)).reduce(addDecimals, toDecimal(0))
  return {
    name,
    bot: sum('bot'),
    referral: sum('referral'),
    conversion: sum('conversion'),
    value: fromDecimal(value),
  }
}

const weight = (row: FacetCount, type: EventType | null): number =>
  type === null ? row.bot + row.referral + row.conversion : row[type]

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const toRow = ({ name, bot, referral, conversion, value }: FacetCount): BreakdownReport['rows'][number] => ({
  name,
  bot_visits: bot,
  referrals: referral,
  conversions: conversion,
  value,
})

const withoutName = ({ name: _, ...counts }: BreakdownReport['rows'][number]): BreakdownReport['totals'] =>
  counts
