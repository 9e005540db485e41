/** The counts of what waits in the inbox for one site, by day, as its readers add them to the roll-ups. Each row is decoded once. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type DateRange, dayOf } from '../../../domain/date-range.ts'
import { toDecimal, zeroSum } from '../../../domain/money.ts'
import { ChunkReader } from '../chunks/sqlite-chunk-reader.ts'
import { conversionType } from '../chunks/sqlite-event-columns.ts'
import type { WaitingRow } from '../inbox/sqlite-waiting-rows.ts'
import { addToDay, type DayTotals, decodeDay, emptyDay, encodeDay } from './sqlite-day.ts'
import { spanDays, spanOf } from './sqlite-span.ts'
import type { StoredDay } from './sqlite-span-builder.ts'

/** What a day takes in memory beyond its bytes. */
const dayBytes = 200

/** Of rows of the inbox, in the order of arrival. */
export class WaitingDays {
  /** By number of the span, then by day: encoded as they are stored. */
  readonly #spans = new Map<number, Map<number, Uint8Array>>()
  /** First and last day; null while there are none. */
  extent: DateRange | null = null
  /** Up to this row of the inbox they are added up. */
  lastRow = -1
  bytes = 0

  of(day: number): DayTotals {
    const data = this.#spans.get(spanOf(day))?.get(day)
    return data ? decodeDay(data) : emptyDay()
  }

  put(day: number, totals: DayTotals): void {
    const number = spanOf(day)
    const days = this.#spans.get(number) ?? new Map<number, Uint8Array>()
    const data = encodeDay(totals)
    this.bytes += data.length - (days.get(day)?.length ?? -dayBytes)
    this.#spans.set(number, days.set(day, data))
    const { start, end } = this.extent ?? { start: day, end: day }
    this.extent = { start: Math.min(start, day), end: Math.max(end, day) }
  }

  inSpan(number: number): StoredDay[] {
    const days = this.#spans.get(number) ?? []
    return Array.from(days, ([day, data]) => ({ place: day - number * spanDays, data }))
  }

  /** The first span after this one; Infinity where there is none. */
  spanAfter(number: number): number {
    let next = Number.POSITIVE_INFINITY
    for (const other of this.#spans.keys()) if (other > number && other < next) next = other
    return next
  }
}

/** Beyond so many origins the memory of their subjects starts again empty. */
const originsMax = 100_000

export class WaitingDaysReader {
  readonly #rows: StatementSync
  readonly #origins: StatementSync
  /** By origin. */
  readonly #subjects = new Map<number, number>()

  constructor(reader: DatabaseSync) {
    const ids = 'id IN (SELECT value FROM json_each(?))'
    this.#rows = reader.prepare(`SELECT type, data FROM inbox WHERE ${ids}`)
    this.#origins = reader.prepare(`SELECT id, subject FROM origin WHERE ${ids}`)
  }

  /** Adds those rows that are not among them yet; to be called in the snapshot in which they wait. Returns the days that have changed. */
  addTo(days: WaitingDays, rows: readonly WaitingRow[]): Iterable<number> {
    const newer = rows.filter(({ id }) => id > days.lastRow).map(({ id }) => id)
    if (newer.length === 0) return []
    const stored = this.#rows
      .all(JSON.stringify(newer))
      .map(({ type, data }) => ({ type: Number(type), events: new ChunkReader(data as Uint8Array) }))
    this.#findSubjects(stored.map(({ events }) => events))
    const changed = new Map<number, DayTotals>()
    for (const { type, events } of stored) {
      for (let i = 0; i < events.count; i++) {
        const time = events.time(i)
        const day = dayOf(time)
        const totals = changed.get(day) ?? days.of(day)
        const value = type === conversionType ? events.value(i) : Number.NaN
        const sum = Number.isNaN(value) ? zeroSum : toDecimal(value)
        addToDay(totals, time, type, this.#subjects.get(events.origin(i))!, sum)
        changed.set(day, totals)
      }
    }
    for (const [day, totals] of changed) days.put(day, totals)
    days.lastRow = newer.at(-1)!
    return changed.keys()
  }

  #findSubjects(stored: readonly ChunkReader[]): void {
    if (this.#subjects.size >= originsMax) this.#subjects.clear()
    const unknown = new Set<number>()
    for (const events of stored) {
      for (let i = 0; i < events.count; i++) {
        const origin = events.origin(i)
        if (!this.#subjects.has(origin)) unknown.add(origin)
      }
    }
    if (unknown.size === 0) return
    for (const { id, subject } of this.#origins.iterate(JSON.stringify([...unknown])))
      this.#subjects.set(Number(id), Number(subject))
  }
}
