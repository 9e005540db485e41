/** Everything that a site's page of the dashboard shows, as one report: totals, comparison, chart and tables, under one filter. */
import Type, { type Static } from 'typebox'
import { type DateRange, dayMs, formatDay } from '../domain/date-range.ts'
import { type EventType, eventTypes } from '../domain/event.ts'
import type { EventStore, FacetCount, FacetReport } from '../storage/event-store.ts'
import { allCounts, type Granularity } from '../storage/series.ts'
import { groupNames, nameCounts, readFacets, sumRows } from './breakdown.ts'
import { createTraits, isUnfiltered, type ReportFilter, type TraitsOf } from './known-names.ts'

const Count = Type.Integer({ minimum: 0 })
const Day = Type.String({ format: 'date' })
const Counts = Type.Object({ bot: Count, referral: Count, conversion: Count, value: Type.Number() })
const Row = Type.Object({
  name: Type.String(),
  bot: Count,
  referral: Count,
  conversion: Count,
  value: Type.Number(),
})
const Named = Type.Object({ name: Type.String(), company: Type.String(), count: Count })
/** Counts a bucket by name, the largest names first; what is left is `rest`. */
const Stack = Type.Object({
  names: Type.Array(Type.Object({ name: Type.String(), counts: Type.Array(Count) })),
  rest: Type.Array(Count),
})

export const OverviewReport = Type.Object({
  period: Type.Object({ start: Day, end: Day }),
  granularity: Type.Union([Type.Literal('day'), Type.Literal('hour')]),
  /** Whole days of the period against as many days before; null when the period has no whole day yet. */
  comparison: Type.Union([
    Type.Null(),
    Type.Object({ start: Day, end: Day, before: Day, now: Counts, earlier: Counts }),
  ]),
  totals: Counts,
  /** One a bucket: `YYYY-MM-DD` or `YYYY-MM-DD HH:00`. The last may be unfinished: see `unfinished`. */
  buckets: Type.Array(Type.String()),
  series: Type.Object({ bot: Type.Array(Count), referral: Type.Array(Count), conversion: Type.Array(Count) }),
  /** How many buckets from which on have not ended, or not begun. */
  unfinishedFrom: Type.Integer(),
  /** By day only. */
  stacks: Type.Object({ bot: Stack, company: Stack, source: Stack }),
  bots: Type.Array(Type.Object({ ...Named.properties, purpose: Type.String() })),
  sources: Type.Array(Named),
  events: Type.Array(Type.Object({ name: Type.String(), count: Count, value: Type.Number() })),
  companies: Type.Array(Row),
  purposes: Type.Array(Row),
  pages: Type.Array(Row),
  pageCount: Count,
  otherPages: Row,
  countries: Type.Array(Row),
  /** First and last day with events, in any range; null when the site has none. */
  extent: Type.Union([Type.Null(), Type.Object({ start: Day, end: Day })]),
})
export type OverviewReport = Static<typeof OverviewReport>

export interface OverviewQuestion {
  /** Null is all days with events. */
  readonly range: DateRange | null
  readonly granularity: Granularity
  readonly filter: ReportFilter
  /** Milliseconds. */
  readonly now: number
}

/** A chart of more days than this helps nobody. */
export const overviewDaysMax = 1_100
const pagesMax = 200
const stackedMax = 7
/** Longest hourly series; longer ones are by day. */
const hourlyDaysMax = 31

export async function overviewReport(
  events: EventStore,
  site: number,
  { range: wanted, granularity: asked, filter, now }: OverviewQuestion,
): Promise<OverviewReport> {
  const extent = await events.extent(site)
  const range = wanted ?? allDays(extent, now)
  const traitsOf = createTraits()
  const facets = await readFacets(events, site, range, filter, pagesMax, traitsOf)
  const isHourly = asked === 'hour' && isUnfiltered(filter) && range.end - range.start < hourlyDaysMax
  const granularity = isHourly ? 'hour' : 'day'
  const series = isHourly
    ? allCounts(await events.series(site, range, 'hour'), range, 'hour')
    : daysOf(facets, range)
  const bucketMs = isHourly ? dayMs / 24 : dayMs
  return {
    period: { start: formatDay(range.start), end: formatDay(range.end) },
    granularity,
    comparison: wanted === null ? null : await compare(events, site, facets, range, filter, now, traitsOf),
    totals: countsOf(sumRows('', nameCounts(facets))),
    buckets: bucketsOf(range, granularity),
    series: {
      bot: ofType(series, 'bot'),
      referral: ofType(series, 'referral'),
      conversion: ofType(series, 'conversion'),
    },
    unfinishedFrom: Math.max(0, Math.floor((now - range.start * dayMs) / bucketMs)),
    stacks: {
      bot: stackOf(facets, range, each => (each.type === 'bot' ? each.name : null)),
      company: stackOf(facets, range, ({ type, name, company }) =>
        type === 'bot' ? traitsOf(type, name, company).company : null,
      ),
      source: stackOf(facets, range, each => (each.type === 'referral' ? each.name : null)),
    },
    ...tablesOf(facets, traitsOf),
    extent: extent && { start: formatDay(extent.start), end: formatDay(extent.end) },
  }
}

function tablesOf(facets: FacetReport, traitsOf: TraitsOf) {
  const ofNames = (type: EventType) =>
    facets.names
      .filter(each => each.type === type)
      .map(({ name, company, count, value }) => ({ name, count, value, ...traitsOf(type, name, company) }))
      .sort((a, b) => b.count - a.count)
  return {
    bots: ofNames('bot').map(({ name, company, count, purpose }) => ({
      name,
      company,
      count,
      purpose: purpose ?? 'other',
    })),
    sources: ofNames('referral').map(({ name, company, count }) => ({ name, company, count })),
    events: ofNames('conversion').map(({ name, count, value }) => ({ name, count, value })),
    companies: groupNames(
      facets,
      ({ type, name, company }) => traitsOf(type, name, company).company || null,
    ).sort((a, b) => b.bot - a.bot || b.referral - a.referral),
    purposes: largestFirst(
      groupNames(facets, ({ type, name, company }) => traitsOf(type, name, company).purpose),
    ),
    pages: [...facets.pages],
    pageCount: facets.pageCount,
    otherPages: facets.otherPages,
    countries: largestFirst([...facets.countries]),
  }
}

const largestFirst = (rows: FacetCount[]): FacetCount[] =>
  rows.sort((a, b) => b.bot + b.referral + b.conversion - (a.bot + a.referral + a.conversion))

const countsOf = ({ bot, referral, conversion, value }: FacetCount) => ({ bot, referral, conversion, value })

/** The finished days of the range against as many days right before it, so that half a day is never compared with a whole one. */
async function compare(
  events: EventStore,
  site: number,
  facets: FacetReport,
  range: DateRange,
  filter: ReportFilter,
  now: number,
  traitsOf: TraitsOf,
): Promise<OverviewReport['comparison']> {
  const end = Math.min(range.end, Math.floor(now / dayMs) - 1)
  const length = end - range.start + 1
  const before = { start: range.start - length, end: range.start - 1 }
  if (length <= 0 || before.start < 0) return null
  const whole = end === range.end
  const current = whole
    ? facets
    : await readFacets(events, site, { start: range.start, end }, filter, 0, traitsOf)
  const previous = await readFacets(events, site, before, filter, 0, traitsOf)
  return {
    start: formatDay(range.start),
    end: formatDay(end),
    before: formatDay(before.start),
    now: countsOf(sumRows('', nameCounts(current))),
    earlier: countsOf(sumRows('', nameCounts(previous))),
  }
}

/** From the first day to the last, but no more than a chart can show. */
function allDays(extent: DateRange | null, now: number): DateRange {
  const today = Math.floor(now / dayMs)
  if (extent === null) return { start: today, end: today }
  return { start: Math.max(extent.start, extent.end - overviewDaysMax + 1), end: extent.end }
}

/** Three counts a day of the whole range. */
function daysOf(facets: FacetReport, range: DateRange): Float64Array {
  const days = new Float64Array((range.end - range.start + 1) * 3)
  if (facets.range) days.set(facets.days, (facets.range.start - range.start) * 3)
  return days
}

const ofType = (series: Float64Array, type: EventType): number[] =>
  Array.from({ length: series.length / 3 }, (_, i) => series[i * 3 + eventTypes.indexOf(type)]!)

function bucketsOf(range: DateRange, granularity: Granularity): string[] {
  const days = Array.from({ length: range.end - range.start + 1 }, (_, i) => formatDay(range.start + i))
  if (granularity === 'day') return days
  return days.flatMap(day =>
    Array.from({ length: 24 }, (_, hour) => `${day} ${String(hour).padStart(2, '0')}:00`),
  )
}

function stackOf(
  facets: FacetReport,
  range: DateRange,
  groupOf: (name: FacetReport['names'][number]) => string | null,
): OverviewReport['stacks']['bot'] {
  const length = range.end - range.start + 1
  const groups = new Map<string, { total: number; counts: number[] }>()
  for (const name of facets.names) {
    const group = groupOf(name)
    if (group === null || !name.days || !facets.range) continue
    const found = groups.get(group) ?? { total: 0, counts: new Array<number>(length).fill(0) }
    const shift = facets.range.start - range.start
    name.days.forEach((count, day) => {
      found.counts[day + shift]! += count
    })
    found.total += name.count
    groups.set(group, found)
  }
  const sorted = [...groups].sort(([, a], [, b]) => b.total - a.total)
  const rest = new Array<number>(length).fill(0)
  for (const [, { counts }] of sorted.slice(stackedMax))
    counts.forEach((count, day) => {
      rest[day]! += count
    })
  return { names: sorted.slice(0, stackedMax).map(([name, { counts }]) => ({ name, counts })), rest }
}
