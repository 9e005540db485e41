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
import { knownSpans, newSummary, type SiteSummary, spanNumbers, together } from './sqlite-site-summary.ts'
import { addSpan, isShared, type Span, spanDays, spanOf } from './sqlite-span.ts'
import { buildSpan } from './sqlite-span-builder.ts'
import type { GivenSpan, SpanExchange, SpanHolder } from './sqlite-span-exchange.ts'
import { WaitingDays, WaitingDaysReader } from './sqlite-waiting-days.ts'

/** What a site takes in memory beside its spans, its names and what waits. */
const siteBytes = 4_000
const gapBytes = 40

export class SqliteSummaries implements SpanHolder {
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
  readonly #exchange: SpanExchange | null
  #bytes = 0
  readonly #sums = new NameSums()
  readonly #ranked = new RankedNames()

  /** `exchange`: with the other threads of the process. */
  constructor(
    reader: DatabaseSync,
    inSnapshot: Snapshot,
    waitingRows: WaitingRows,
    bytesMax: number,
    exchange: SpanExchange | null = null,
  ) {
    this.#inSnapshot = inSnapshot
    this.#waitingRows = waitingRows
    this.#waitingDays = new WaitingDaysReader(reader)
    this.#days = new DayRows(reader)
    this.#firstKey = reader.prepare('SELECT min(key) AS key FROM day WHERE key BETWEEN ? AND ?')
    this.#lastKey = reader.prepare('SELECT max(key) AS key FROM day WHERE key BETWEEN ? AND ?')
    this.#subjects = new SubjectReader(reader)
    this.#bytesMax = bytesMax
    this.#exchange = exchange
    exchange?.hold(this)
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
      summary = newSummary(new SiteNames(this.#subjects, site))
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
    this.#takeGiven(summary)
  }

  #restart(site: number, summary: SiteSummary): void {
    for (const number of [...summary.spans.keys()]) this.#forgetSpan(summary, number)
    this.#forgetGaps(summary)
    const bounds = [dayKey(site, 0), dayKey(site + 1, 0) - 1] as const
    const first = this.#firstKey.get(...bounds)?.key
    const last = this.#lastKey.get(...bounds)?.key
    summary.extent = first === null ? null : { start: dayOfKey(Number(first)), end: dayOfKey(Number(last)) }
  }

  #forgetSpan(summary: SiteSummary, number: number): void {
    const span = summary.spans.get(number)
    if (span) {
      summary.spans.delete(number)
      this.#count(summary, -span.bytes)
      if (isShared(span)) this.#exchange?.drop(span.bytes)
      // Else it may lie in a gap.
    } else this.#forgetGaps(summary)
  }

  #forgetGaps(summary: SiteSummary): void {
    this.#count(summary, -summary.gapEnds.size * gapBytes)
    summary.gapEnds.clear()
  }

  #count(summary: SiteSummary, bytes: number): void {
    summary.spanBytes += bytes
    this.#bytes += bytes
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
      this.#count(summary, span.width > 0 ? span.bytes : gapBytes)
      if (span.width > 0) this.#give(site, summary, span)
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
    const span = buildSpan(firstDay, stored, waiting.inSpan(number), names, this.#exchange)
    this.#bytes += names.bytes - before
    return span
  }

  /** Takes a span that another thread has read. Reads nothing, since nobody waits who could be told that it failed. */
  take(given: GivenSpan): void {
    const { site, filedRevision, span } = given
    const isRoom = this.#bytes + siteBytes + span.bytes <= this.#bytesMax
    const summary = this.#sites.get(site) ?? (isRoom ? this.#summaryOf(site) : undefined)
    if (!summary) return
    if (summary.filedRevision === filedRevision) this.#takeSpan(summary, given)
    else if (isRoom && summary.filedRevision < filedRevision) this.#keepGiven(summary, given)
    this.#forgetLongUnused(site)
  }

  /** The spans that hold nothing that waits. */
  *sharedSpans(): Generator<GivenSpan> {
    for (const [site, summary] of this.#sites) {
      for (const span of summary.spans.values()) {
        const given = givenSpan(site, summary, span)
        if (given) yield given
      }
    }
  }

  #give(site: number, summary: SiteSummary, span: Span): void {
    const given = this.#exchange && givenSpan(site, summary, span)
    if (given) this.#exchange.give(given)
  }

  /** Keeps it until somebody asks for the site: what it counts may not be all that is acknowledged. */
  #keepGiven(summary: SiteSummary, given: GivenSpan): void {
    const number = spanOf(given.span.firstDay)
    const other = summary.given.get(number)
    if (other && other.filedRevision >= given.filedRevision) return
    if (other) this.#exchange?.drop(other.span.bytes)
    summary.given.set(number, given)
    this.#count(summary, given.span.bytes - (other?.span.bytes ?? 0))
  }

  /** To be called when the site's revision is known; what is not of this revision is of no use any more. */
  #takeGiven(summary: SiteSummary): void {
    const { names, given: all } = summary
    summary.given = new Map()
    for (const given of all.values()) {
      this.#count(summary, -given.span.bytes)
      if (given.filedRevision !== summary.filedRevision) {
        this.#exchange?.drop(given.span.bytes)
        continue
      }
      const before = names.bytes
      names.readUpTo(given.subjects)
      this.#bytes += names.bytes - before
      this.#takeSpan(summary, given)
    }
  }

  #takeSpan(summary: SiteSummary, { span, subjects, lastSubject }: GivenSpan): void {
    const number = spanOf(span.firstDay)
    if (summary.waiting.inSpan(number).length > 0 || !summary.names.include(subjects, lastSubject)) return
    const own = summary.spans.get(number)
    if (own && isShared(own) && own.thread <= span.thread) return
    if (own) this.#forgetSpan(summary, number)
    summary.spans.set(number, span)
    this.#count(summary, span.bytes)
  }

  #forgetLongUnused(current: number): void {
    for (const [site, summary] of this.#sites) {
      if (this.#bytes <= this.#bytesMax || site === current) return
      this.#sites.delete(site)
      this.#exchange?.drop(summary.spanBytes)
      this.#bytes -= siteBytes + summary.spanBytes + summary.waiting.bytes + summary.names.bytes
    }
  }
}

/** What others may take of it; null for what nobody else could use. */
function givenSpan(
  site: number,
  { filedRevision, waiting, names }: SiteSummary,
  span: Span,
): GivenSpan | null {
  if (filedRevision === -1 || !isShared(span) || waiting.inSpan(spanOf(span.firstDay)).length > 0) return null
  const { subjects } = names
  return { site, filedRevision, span, subjects: subjects.length, lastSubject: subjects.at(-1) ?? 0 }
}
