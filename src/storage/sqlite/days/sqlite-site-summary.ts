/** What is kept in memory of one site, and which of its spans a range needs. */
import type { DateRange } from '../../../domain/date-range.ts'
import type { SiteNames } from './sqlite-site-names.ts'
import { type Span, spanOf } from './sqlite-span.ts'
import type { GivenSpan } from './sqlite-span-exchange.ts'
import { WaitingDays } from './sqlite-waiting-days.ts'

export interface SiteSummary {
  /** Of the moment at which everything here was read; -1 before anything was. */
  revision: number
  /** That of the roll-ups, without what waits in the inbox. */
  filedRevision: number
  waiting: WaitingDays
  /** First and last day with events; null while there are none. */
  extent: DateRange | null
  readonly names: SiteNames
  /** By number; only those that have events. */
  readonly spans: Map<number, Span>
  /** Where spans have no events: the number of the next that has. */
  readonly gapEnds: Map<number, number>
  /** By number: spans of other threads, read at a filed revision that is not known here yet. */
  given: Map<number, GivenSpan>
  /** What the spans take in memory, those that are given as well. */
  spanBytes: number
}

export const newSummary = (names: SiteNames): SiteSummary => ({
  revision: -1,
  filedRevision: -1,
  waiting: new WaitingDays(),
  extent: null,
  names,
  spans: new Map(),
  gapEnds: new Map(),
  given: new Map(),
  spanBytes: 0,
})

export const together = (a: DateRange | null, b: DateRange | null): DateRange | null =>
  a && b ? { start: Math.min(a.start, b.start), end: Math.max(a.end, b.end) } : (a ?? b)

/** Numbers of the spans in which a range and the events of a site meet; `first` is above `last` where they do not. */
export function spanNumbers({ extent }: SiteSummary, range: DateRange): { first: number; last: number } {
  if (!extent) return { first: 0, last: -1 }
  return {
    first: spanOf(Math.max(range.start, extent.start)),
    last: spanOf(Math.min(range.end, extent.end)),
  }
}

/** Null where one of them has not been read yet. */
export function knownSpans(summary: SiteSummary, range: DateRange): Span[] | null {
  const { first, last } = spanNumbers(summary, range)
  const spans: Span[] = []
  for (let number = first; number <= last; ) {
    const span = summary.spans.get(number)
    const next = span ? number + 1 : summary.gapEnds.get(number)
    if (next === undefined) return null
    if (span) spans.push(span)
    number = next
  }
  return spans
}
