/** The overview report has everything on a site's page of the dashboard under one filter: totals, comparison, chart and tables. */
import Type, { type Static } from 'typebox'
import { type DateRange, dayMs, formatDay, hourMs } from '../domain/date-range.ts'
import type { EventType } from '../domain/event.ts'
import type {
  Breakdown,
  BreakdownRow,
  Dimension,
  EventStore,
  Granularity,
  SeriesPoint,
  Subject,
} from '../storage/event-store.ts'
import { type Counts, eventFilter, groupRows, type NamedCounts, sumCounts, totalsOf } from './breakdown.ts'
import { createTraits, isUnfiltered, type ReportFilter, type TraitsOf } from './known-names.ts'

const Count = Type.Integer({ minimum: 0 })
const Day = Type.String({ format: 'date' })
const Totals = Type.Object({ bot: Count, referral: Count, conversion: Count, value: Type.Number() })
const Row = Type.Object({
  name: Type.String(),
  bot: Count,
  referral: Count,
  conversion: Count,
  value: Type.Number(),
})
const Named = Type.Object({ name: Type.String(), company: Type.String(), count: Count })
/** Counts by name for each bucket, the largest names first. `rest` has the sum of all other names. */
const Stack = Type.Object({
  names: Type.Array(Type.Object({ name: Type.String(), counts: Type.Array(Count) })),
  rest: Type.Array(Count),
})

export const OverviewReport = Type.Object({
  period: Type.Object({ start: Day, end: Day }),
  granularity: Type.Union([Type.Literal('day'), Type.Literal('hour')]),
  /** Compares the finished days of the period with as many days before; null when no day has finished. */
  comparison: Type.Union([
    Type.Null(),
    Type.Object({ start: Day, end: Day, before: Day, now: Totals, earlier: Totals }),
  ]),
  totals: Totals,
  /** One text for each bucket: `YYYY-MM-DD` or `YYYY-MM-DD HH:00`. For unfinished buckets see `unfinishedFrom`. */
  buckets: Type.Array(Type.String()),
  series: Type.Object({ bot: Type.Array(Count), referral: Type.Array(Count), conversion: Type.Array(Count) }),
  /** Index of the first bucket that has not ended yet. */
  unfinishedFrom: Type.Integer(),
  /** Always by day. */
  stacks: Type.Object({ bot: Stack, company: Stack, source: Stack }),
  bots: Type.Array(Type.Object({ ...Named.properties, purpose: Type.String() })),
  sources: Type.Array(Named),
  events: Type.Array(Type.Object({ name: Type.String(), count: Count, value: Type.Number() })),
  companies: Type.Array(Row),
  purposes: Type.Array(Row),
  pages: Type.Array(Row),
  pageCount: Count,
  countries: Type.Array(Row),
  /** First and last day with events, in any range; null when the site has none. */
  extent: Type.Union([Type.Null(), Type.Object({ start: Day, end: Day })]),
})
export type OverviewReport = Static<typeof OverviewReport>

export interface OverviewQuestion {
  /** Null stands for all days with events. */
  readonly range: DateRange | null
  readonly granularity: Granularity
  readonly filter: ReportFilter
  /** Milliseconds. */
  readonly now: number
}

/** The most days in a report. A chart of more days is unreadable. */
export const overviewDaysMax = 1_100
const pagesMax = 200
const stackedMax = 7
/** The longest range with an hourly series. Longer ranges have a series by day. */
const hourlyDaysMax = 31

export async function overviewReport(
  events: EventStore,
  site: number,
  { range: wanted, granularity: asked, filter, now }: OverviewQuestion,
): Promise<OverviewReport> {
  const extent = await events.extent(site)
  const range = wanted ?? allDays(extent, now)
  const traitsOf = createTraits()
  const onEvents = await eventFilter(events, site, range, filter, traitsOf)
  const ask = (dimensions: readonly Dimension[], limit: number | null): Promise<Breakdown> =>
    events.breakdown(site, { range, filter: onEvents, dimensions, orderBy: filter.type, limit })
  const [{ rows }, pages, countries] = await Promise.all([
    ask(['name', 'day'], null),
    ask(['page'], pagesMax),
    ask(['country'], null),
  ])
  const isHourly = asked === 'hour' && isUnfiltered(filter) && range.end - range.start < hourlyDaysMax
  const granularity = isHourly ? 'hour' : 'day'
  const series = isHourly ? await events.series(site, range, 'hour') : byDay(rows)
  const bucketMs = isHourly ? hourMs : dayMs
  const totals = sumCounts(rows)
  return {
    period: { start: formatDay(range.start), end: formatDay(range.end) },
    granularity,
    comparison: wanted === null ? null : await compare(events, site, totals, range, filter, now, traitsOf),
    totals,
    buckets: bucketsOf(range, granularity),
    series: {
      bot: countsOf(series, range, granularity, 'bot'),
      referral: countsOf(series, range, granularity, 'referral'),
      conversion: countsOf(series, range, granularity, 'conversion'),
    },
    unfinishedFrom: Math.max(0, Math.floor((now - range.start * dayMs) / bucketMs)),
    stacks: {
      bot: stackOf(rows, range, ({ type, name }) => (type === 'bot' ? name : null)),
      company: stackOf(rows, range, ({ type, name, company }) =>
        type === 'bot' ? traitsOf(type, name, company).company : null,
      ),
      source: stackOf(rows, range, ({ type, name }) => (type === 'referral' ? name : null)),
    },
    ...tablesOf(rows, traitsOf),
    pages: pages.rows.map(({ page, ...counts }) => ({ name: page!, ...counts })),
    pageCount: pages.rowCount,
    countries: largestFirst(groupRows(countries.rows, ({ country }) => country!)),
    extent: extent && { start: formatDay(extent.start), end: formatDay(extent.end) },
  }
}

function tablesOf(rows: readonly BreakdownRow[], traitsOf: TraitsOf) {
  const ofType = (type: EventType) => rows.filter(({ subject }) => subject!.type === type)
  const names = (type: EventType) =>
    groupRows(ofType(type), ({ subject }) => subject!.name)
      .map(row => ({ ...row, count: row[type], company: companyOf(rows, type, row.name) }))
      .sort((a, b) => b.count - a.count)
  const traits = ({ subject }: BreakdownRow) => traitsOf(subject!.type, subject!.name, subject!.company)
  return {
    bots: names('bot').map(({ name, company, count }) => ({
      name,
      company,
      count,
      purpose: traitsOf('bot', name, company).purpose ?? 'other',
    })),
    sources: names('referral').map(({ name, company, count }) => ({
      name,
      company: traitsOf('referral', name, company).company,
      count,
    })),
    events: names('conversion').map(({ name, count, value }) => ({ name, count, value })),
    companies: groupRows(rows, row => traits(row).company || null).sort(
      (a, b) => b.bot - a.bot || b.referral - a.referral,
    ),
    purposes: largestFirst(groupRows(rows, row => traits(row).purpose)),
  }
}

const companyOf = (rows: readonly BreakdownRow[], type: EventType, name: string): string =>
  rows.find(({ subject }) => subject!.type === type && subject!.name === name)!.subject!.company

const largestFirst = (rows: NamedCounts[]): NamedCounts[] =>
  rows.sort((a, b) => b.bot + b.referral + b.conversion - (a.bot + a.referral + a.conversion))

/** Compares the finished days of the range with as many days right before it, so that part of a day never stands against a whole one. */
async function compare(
  events: EventStore,
  site: number,
  totals: Counts,
  range: DateRange,
  filter: ReportFilter,
  now: number,
  traitsOf: TraitsOf,
): Promise<OverviewReport['comparison']> {
  const end = Math.min(range.end, Math.floor(now / dayMs) - 1)
  const length = end - range.start + 1
  const before = { start: range.start - length, end: range.start - 1 }
  if (length <= 0 || before.start < 0) return null
  const totalsIn = async (days: DateRange): Promise<Counts> =>
    totalsOf(events, site, days, await eventFilter(events, site, days, filter, traitsOf))
  return {
    start: formatDay(range.start),
    end: formatDay(end),
    before: formatDay(before.start),
    now: end === range.end ? totals : await totalsIn({ start: range.start, end }),
    earlier: await totalsIn(before),
  }
}

/** From the first day with events to the last, at most `overviewDaysMax` days. */
function allDays(extent: DateRange | null, now: number): DateRange {
  const today = Math.floor(now / dayMs)
  if (extent === null) return { start: today, end: today }
  return { start: Math.max(extent.start, extent.end - overviewDaysMax + 1), end: extent.end }
}

/** Sums rows by day. */
const byDay = (rows: readonly BreakdownRow[]): SeriesPoint[] =>
  Array.from(
    Map.groupBy(rows, ({ day }) => day!),
    ([bucket, ofDay]) => ({ bucket, ...sumCounts(ofDay) }),
  )

/** The counts of one type in every bucket of the range. */
function countsOf(
  series: readonly SeriesPoint[],
  { start, end }: DateRange,
  granularity: Granularity,
  type: EventType,
): number[] {
  const perDay = granularity === 'day' ? 1 : 24
  const counts = new Array<number>((end - start + 1) * perDay).fill(0)
  for (const point of series) counts[point.bucket - start * perDay] = point[type]
  return counts
}

function bucketsOf(range: DateRange, granularity: Granularity): string[] {
  const days = Array.from({ length: range.end - range.start + 1 }, (_, i) => formatDay(range.start + i))
  if (granularity === 'day') return days
  return days.flatMap(day =>
    Array.from({ length: 24 }, (_, hour) => `${day} ${String(hour).padStart(2, '0')}:00`),
  )
}

/** The daily counts of the largest groups, and those of all other groups together. */
function stackOf(
  rows: readonly BreakdownRow[],
  range: DateRange,
  groupOf: (subject: Subject) => string | null,
): OverviewReport['stacks']['bot'] {
  const length = range.end - range.start + 1
  const groups = new Map<string, { total: number; counts: number[] }>()
  for (const { subject, day, bot, referral, conversion } of rows) {
    const group = groupOf(subject!)
    if (group === null) continue
    const found = groups.get(group) ?? { total: 0, counts: new Array<number>(length).fill(0) }
    found.counts[day! - range.start]! += bot + referral + conversion
    found.total += bot + referral + conversion
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
