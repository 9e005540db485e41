/**
 * Answers counts and series from spans in memory; reads a span from its roll-ups, and from what waits in the inbox, when the site's
 * revision has changed.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { DateRange } from '../../../domain/date-range.ts'
import type { NameColumns } from '../../event-store.ts'
import type { Granularity, Series } from '../../series.ts'
import type { SiteState, WaitingRows } from '../inbox/sqlite-waiting-rows.ts'
import type { Snapshot } from '../sqlite-snapshot.ts'
import { dayKey, dayOfKey, hoursLength } from './sqlite-day.ts'
import { DayRows } from './sqlite-day-rows.ts'
import { NameSums, RankedNames } from './sqlite-ranking.ts'
import { SiteNames, SubjectReader } from './sqlite-site-names.ts'
import { type Span, spanDays, spanOf } from './sqlite-span.ts'
import { buildSpan } from './sqlite-span-builder.ts'
import { WaitingDays, WaitingDaysReader } from './sqlite-waiting-days.ts'

interface SiteSummary {
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
  /** What the spans take in memory. */
  spanBytes: number
}

/** What a site takes in memory beside its spans, its names and what waits. */
const siteBytes = 4_000
const gapBytes = 40

export class SqliteSummaries {
  readonly #inSnapshot: Snapshot
  readonly #waitingRows: WaitingRows
  readonly #waitingDays: WaitingDaysReader
  readonly #days: DayRows
  readonly #firstKey: StatementSync
  readonly #lastKey: StatementSync
  readonly #subjects: SubjectReader
  /** In the order of use: the first is the one used longest ago. */
  readonly #sites = new Map<number, SiteSummary>()
  readonly #bytesMax: number
  #bytes = 0
  readonly #sums = new NameSums()
  readonly #ranked = new RankedNames()

  constructor(reader: DatabaseSync, inSnapshot: Snapshot, waitingRows: WaitingRows, bytesMax: number) {
    this.#inSnapshot = inSnapshot
    this.#waitingRows = waitingRows
    this.#waitingDays = new WaitingDaysReader(reader)
    this.#days = new DayRows(reader)
    this.#firstKey = reader.prepare('SELECT min(key) AS key FROM day WHERE key BETWEEN ? AND ?')
    this.#lastKey = reader.prepare('SELECT max(key) AS key FROM day WHERE key BETWEEN ? AND ?')
    this.#subjects = new SubjectReader(reader)
    this.#bytesMax = bytesMax
  }

  /** `revision` is one that the site has reached: the answer is as new or newer. See EventStore.withCounts. */
  withCounts<Result>(
    site: number,
    revision: number,
    range: DateRange,
    read: (counts: NameColumns) => Result,
  ): Result {
    const summary = this.#summaryOf(site)
    const spans = this.#spansIn(site, summary, revision, range)
    // Names are complete only now: reading a span can find new ones.
    const { ranking } = summary.names
    this.#sums.clear(ranking.names.length)
    for (const span of spans) addSpan(this.#sums, span, range)
    this.#ranked.fill(ranking, this.#sums)
    return read(this.#ranked)
  }

  series(site: number, revision: number, range: DateRange, granularity: Granularity): Series {
    const summary = this.#summaryOf(site)
    const width = granularity === 'hour' ? hoursLength : 3
    return this.#spansIn(site, summary, revision, range).map(span => {
      const { firstDay } = span
      const first = Math.max(range.start, firstDay)
      const end = Math.min(range.end + 1, firstDay + spanDays)
      const counts = granularity === 'hour' ? span.hours : span.days
      const [from, to] = [(first - firstDay) * width, (end - firstDay) * width]
      return { at: (first - range.start) * width, counts, from, to }
    })
  }

  #summaryOf(site: number): SiteSummary {
    let summary = this.#sites.get(site)
    if (summary) this.#sites.delete(site)
    else {
      summary = {
        revision: -1,
        filedRevision: -1,
        waiting: new WaitingDays(),
        extent: null,
        names: new SiteNames(this.#subjects, site),
        spans: new Map(),
        gapEnds: new Map(),
        spanBytes: 0,
      }
      this.#bytes += siteBytes
    }
    this.#sites.set(site, summary)
    return summary
  }

  /** The spans that have events of the range, oldest first, all of one revision. */
  #spansIn(site: number, summary: SiteSummary, revision: number, range: DateRange): Span[] {
    const known = summary.revision >= revision && knownSpans(summary, range)
    if (known) return known
    return this.#inSnapshot(() => {
      const state = this.#waitingRows.stateIn(site)
      if (summary.revision !== state.revision || summary.filedRevision !== state.filedRevision)
        this.#renew(site, summary, state)
      this.#readMissing(site, summary, range)
      this.#forgetLongUnused(site)
      return knownSpans(summary, range)!
    })
  }

  /** Forgets what has changed. Where nothing but rows of the inbox came to the site, those are the spans of their events. */
  #renew(site: number, summary: SiteSummary, { revision, filedRevision, waiting }: SiteState): void {
    const before = { revision: summary.revision, filedRevision: summary.filedRevision }
    // Stays so if a read fails: what was not read must not count as known.
    summary.revision = -1
    summary.filedRevision = -1
    if (filedRevision !== before.filedRevision) {
      // Filing changes no count, unless it filed more than was known here.
      if (filedRevision !== before.revision) this.#restart(site, summary)
      this.#bytes -= summary.waiting.bytes
      summary.waiting = new WaitingDays()
    }
    const bytesBefore = summary.waiting.bytes
    const changed = this.#waitingDays.addTo(summary.waiting, waiting)
    this.#bytes += summary.waiting.bytes - bytesBefore
    for (const number of new Set(Array.from(changed, spanOf))) this.#forgetSpan(summary, number)
    summary.extent = together(summary.extent, summary.waiting.extent)
    summary.filedRevision = filedRevision
    summary.revision = revision
  }

  #restart(site: number, summary: SiteSummary): void {
    this.#bytes -= summary.spanBytes
    summary.spanBytes = 0
    summary.spans.clear()
    summary.gapEnds.clear()
    const bounds = [dayKey(site, 0), dayKey(site + 1, 0) - 1] as const
    const first = this.#firstKey.get(...bounds)?.key
    const last = this.#lastKey.get(...bounds)?.key
    summary.extent = first === null ? null : { start: dayOfKey(Number(first)), end: dayOfKey(Number(last)) }
  }

  #forgetSpan(summary: SiteSummary, number: number): void {
    const span = summary.spans.get(number)
    // It may lie in a gap.
    const bytes = span?.bytes ?? summary.gapEnds.size * gapBytes
    if (span) summary.spans.delete(number)
    else summary.gapEnds.clear()
    summary.spanBytes -= bytes
    this.#bytes -= bytes
  }

  #readMissing(site: number, summary: SiteSummary, range: DateRange): void {
    const { first, last } = spanNumbers(summary, range)
    for (let number = first; number <= last; ) {
      const next = summary.spans.has(number) ? number + 1 : summary.gapEnds.get(number)
      if (next !== undefined) {
        number = next
        continue
      }
      const span = this.#readSpan(site, summary, number)
      if (span.width > 0) summary.spans.set(number, span)
      else summary.gapEnds.set(number, this.#nextSpan(site, summary, number))
      const bytes = span.width > 0 ? span.bytes : gapBytes
      summary.spanBytes += bytes
      this.#bytes += bytes
    }
  }

  /** The number of the first span after this one that has events; the caller knows that there is one. */
  #nextSpan(site: number, { waiting }: SiteSummary, number: number): number {
    const key = this.#firstKey.get(dayKey(site, (number + 1) * spanDays), dayKey(site + 1, 0) - 1)?.key
    const stored = key === null ? Number.POSITIVE_INFINITY : spanOf(dayOfKey(Number(key)))
    return Math.min(stored, waiting.spanAfter(number))
  }

  #readSpan(site: number, { names, waiting }: SiteSummary, number: number): Span {
    const firstDay = number * spanDays
    const stored = this.#days.between(dayKey(site, firstDay), dayKey(site, firstDay + spanDays - 1))
    const before = names.bytes
    const span = buildSpan(firstDay, stored, waiting.inSpan(number), names)
    this.#bytes += names.bytes - before
    return span
  }

  #forgetLongUnused(current: number): void {
    for (const [site, summary] of this.#sites) {
      if (this.#bytes <= this.#bytesMax || site === current) return
      this.#sites.delete(site)
      this.#bytes -= siteBytes + summary.spanBytes + summary.waiting.bytes + summary.names.bytes
    }
  }
}

const together = (a: DateRange | null, b: DateRange | null): DateRange | null =>
  a && b ? { start: Math.min(a.start, b.start), end: Math.max(a.end, b.end) } : (a ?? b)

/** Numbers of the spans in which a range and the events of a site meet; `first` is above `last` where they do not. */
function spanNumbers({ extent }: SiteSummary, range: DateRange): { first: number; last: number } {
  if (!extent) return { first: 0, last: -1 }
  return {
    first: spanOf(Math.max(range.start, extent.start)),
    last: spanOf(Math.min(range.end, extent.end)),
  }
}

/** Null where one of them has not been read yet. */
function knownSpans(summary: SiteSummary, range: DateRange): Span[] | null {
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

/** Adds what a range has of a span: what came from one boundary between days to another. */
function addSpan(sums: NameSums, span: Span, range: DateRange): void {
  const { firstDay, width, counts, valuedWidth, values } = span
  const from = Math.max(0, range.start - firstDay)
  const to = Math.min(spanDays, range.end + 1 - firstDay)
  const first = (from + 1) * width
  const last = (to + 1) * width
  const totals = sums.counts
  if (from === 0) for (let i = 0; i < width; i++) totals[counts[i]!]! += counts[last + i]!
  else for (let i = 0; i < width; i++) totals[counts[i]!]! += counts[last + i]! - counts[first + i]!
  let firstValue = valuedWidth + from * valuedWidth * 2
  let lastValue = valuedWidth + to * valuedWidth * 2
  for (let i = 0; i < valuedWidth; i++) {
    const name = values[i]!
    sums.wholes[name]! += values[lastValue++]! - values[firstValue++]!
    sums.billionths[name]! += values[lastValue++]! - values[firstValue++]!
  }
}
