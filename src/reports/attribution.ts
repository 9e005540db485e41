/** The attribution report: conversions and their value by the assistant that brought the visitor, and by landing page. */
import Type, { type Static } from 'typebox'
import { type DateRange, formatDay } from '../domain/date-range.ts'
import { addDecimals, type DecimalSum, fromDecimal, zeroSum } from '../domain/money.ts'
import type { AttributedCount, EventStore } from '../storage/event-store.ts'

const counts = {
  conversions: Type.Integer({ minimum: 0 }),
  value: Type.Number({ description: 'Exact sum of the values; 0 when none is set.' }),
}
const Source = Type.String({ description: 'The assistant that sent the visitor.' })
const LandingPage = Type.Union([Type.String(), Type.Null()], {
  description: 'Path of the page where the visit began; null when it is not known.',
})
const byCount = { description: 'By the number of conversions, descending, then by name.' }

export const AttributionReport = Type.Object(
  {
    period: Type.Object({
      start: Type.String({ format: 'date', description: 'First day of the range, inclusive.' }),
      end: Type.String({ format: 'date', description: 'Last day of the range, inclusive.' }),
    }),
    model: Type.Literal('last_assistant_touch', {
      description: 'Each conversion counts fully for the last assistant that sent the visitor.',
    }),
    window: Type.Literal('session', {
      description: 'Only assistants in the same session as the conversion count.',
    }),
    totals: Type.Object(counts, { description: 'All conversions of the range.' }),
    attributed: Type.Object(counts, {
      description: 'Conversions of visitors that an assistant is known to have sent.',
    }),
    unattributed: Type.Object(counts, { description: 'All other conversions.' }),
    source_breakdown: Type.Array(Type.Object({ source: Source, ...counts }), byCount),
    source_count: Type.Integer({
      minimum: 0,
      description: 'Number of all assistants, including those beyond the limit.',
    }),
    landing_page_breakdown: Type.Array(Type.Object({ landing_page: LandingPage, ...counts }), byCount),
    landing_page_count: Type.Integer({
      minimum: 0,
      description: 'Number of all landing pages, including those beyond the limit.',
    }),
    rows: Type.Array(
      Type.Object({
        source: Source,
        landing_page: LandingPage,
        event_name: Type.String({ description: 'Name of the conversion event.' }),
        ...counts,
      }),
      { description: 'By the number of conversions, descending, then by assistant, landing page and event.' },
    ),
    row_count: Type.Integer({
      minimum: 0,
      description: 'Number of all rows, including those beyond the limit.',
    }),
  },
  { title: 'Attribution' },
)
export type AttributionReport = Static<typeof AttributionReport>

type Attributed = AttributedCount & { readonly assistant: string }

export interface AttributionQuestion {
  readonly range: DateRange
  /** The most entries in each list. */
  readonly limit: number
}

export async function attributionReport(
  events: EventStore,
  site: number,
  { range, limit }: AttributionQuestion,
): Promise<AttributionReport> {
  const all = await events.attribution(site, range)
  const isAttributed = (each: AttributedCount): each is Attributed => each.assistant !== null
  const attributed = all.filter(isAttributed)
  const sources = groupBy(attributed, ({ assistant }) => [assistant])
  const pages = groupBy(attributed, ({ landing }) => [landing])
  const rows = groupBy(attributed, ({ assistant, landing, name }) => [assistant, landing, name])
  return {
    period: { start: formatDay(range.start), end: formatDay(range.end) },
    model: 'last_assistant_touch',
    window: 'session',
    totals: shown(sumOf(all)),
    attributed: shown(sumOf(attributed)),
    unattributed: shown(sumOf(all.filter(each => !isAttributed(each)))),
    source_breakdown: sources
      .slice(0, limit)
      .map(({ first, sum }) => ({ source: first.assistant, ...shown(sum) })),
    source_count: sources.length,
    landing_page_breakdown: pages
      .slice(0, limit)
      .map(({ first, sum }) => ({ landing_page: first.landing, ...shown(sum) })),
    landing_page_count: pages.length,
    rows: rows.slice(0, limit).map(({ first, sum }) => ({
      source: first.assistant,
      landing_page: first.landing,
      event_name: first.name,
      ...shown(sum),
    })),
    row_count: rows.length,
  }
}

interface Sum {
  readonly count: number
  readonly value: DecimalSum
}

interface Group {
  readonly key: readonly (string | null)[]
  /** Any entry of the group. All entries of a group have the same key. */
  readonly first: Attributed
  readonly sum: Sum
}

/** Sorted by count, descending, then by key. */
function groupBy(
  rows: readonly Attributed[],
  keyOf: (row: Attributed) => readonly (string | null)[],
): Group[] {
  const groups = Map.groupBy(rows, row => JSON.stringify(keyOf(row)))
  return Array.from(groups.values(), group => ({
    key: keyOf(group[0]!),
    first: group[0]!,
    sum: sumOf(group),
  })).sort((a, b) => b.sum.count - a.sum.count || compareKeys(a.key, b.key))
}

const sumOf = (rows: readonly Sum[]): Sum => ({
  count: rows.reduce((sum, { count }) => sum + count, 0),
  value: rows.reduce((sum, { value }) => addDecimals(sum, value), zeroSum),
})

const shown = ({ count, value }: Sum) => ({ conversions: count, value: fromDecimal(value) })

/** Compares in the order of code units. Null comes first. */
function compareKeys(a: Group['key'], b: Group['key']): number {
  for (const [i, text] of a.entries()) {
    const [one, other] = [text ?? '', b[i] ?? '']
    if (one !== other) return one < other ? -1 : 1
  }
  return 0
}
