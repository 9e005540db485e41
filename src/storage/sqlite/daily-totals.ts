/**
 * Keeps a site's counts by day and subject in memory, so that most requests for stats need no query. They are valid until the site's data
 * version changes. They are loaded at the second request with the same data version, because many sites are asked about only once.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { DateRange } from '../../domain/date-range.ts'
import { addDecimals, type DecimalSum, zeroSum } from '../../domain/money.ts'
import type { SubjectSum } from './subjects.ts'

interface Totals {
  readonly revision: number
  /** Each row has a day, an index into `subjects`, and a count. Rows are in order of days. */
  readonly days: Int32Array
  readonly places: Uint16Array
  readonly counts: Float64Array
  readonly subjects: readonly number[]
  /** The values by row; most rows have none. */
  readonly values: ReadonlyMap<number, DecimalSum>
}

/** Sites with more rows than this, such as one with 100 names a day over 200 days, are always queried. */
const rowsMax = 20_000
const bytesPerRow = 14
const bytesPerSite = 2_000

export class DailyTotals {
  readonly #bytesMax: number
  readonly #load: StatementSync
  readonly #sums: StatementSync
  /** Recently requested sites, the latest last. Sites requested once and sites that are too large have no totals here. */
  readonly #sites = new Map<number, Totals | { readonly revision: number; readonly isTooLarge: boolean }>()
  #bytes = 0

  constructor(reader: DatabaseSync, bytesMax: number) {
    this.#bytesMax = bytesMax
    const sums = 'sum(count), total(value), total(value_billionths)'
    this.#load = reader.prepare(
      `SELECT day, subject, ${sums} FROM by_day WHERE site = ? GROUP BY day, subject ORDER BY day LIMIT ${rowsMax + 1}`,
    )
    this.#sums = reader.prepare(
      `SELECT subject, ${sums} FROM by_day WHERE site = ? AND day BETWEEN ? AND ? GROUP BY subject`,
    )
    this.#load.setReturnArrays(true)
    this.#sums.setReturnArrays(true)
  }

  /** One entry for each subject with events in the range, unsorted. */
  sums(site: number, revision: number, range: DateRange): SubjectSum[] {
    const totals = this.#totalsOf(site, revision)
    return totals ? sumRange(totals, range) : this.#query(site, range)
  }

  #query(site: number, { start, end }: DateRange): SubjectSum[] {
    const rows = this.#sums.all(site, start, end) as unknown as number[][]
    return rows.map(([subject, count, whole, billionths]) => ({
      subject: subject!,
      count: count!,
      value: { whole: whole!, billionths: billionths! },
    }))
  }

  /** Null when the totals are not in memory, so that a query must answer. */
  #totalsOf(site: number, revision: number): Totals | null {
    const known = this.#sites.get(site)
    if (known) this.#forget(site, known)
    const isSecond = known?.revision === revision
    const entry = isSecond && !('days' in known) && !known.isTooLarge ? this.#read(site, revision) : null
    const kept = entry ?? (isSecond ? known : { revision, isTooLarge: false })
    this.#sites.set(site, kept)
    this.#bytes += bytesOf(kept)
    for (const [oldest, totals] of this.#sites) {
      if (this.#bytes <= this.#bytesMax || oldest === site) break
      this.#forget(oldest, totals)
    }
    return 'days' in kept ? kept : null
  }

  #read(site: number, revision: number): Totals | { revision: number; isTooLarge: true } {
    const rows = this.#load.all(site) as unknown as number[][]
    if (rows.length > rowsMax) return { revision, isTooLarge: true }
    const places = new Map<number, number>()
    const values = new Map<number, DecimalSum>()
    const totals = {
      revision,
      days: new Int32Array(rows.length),
      places: new Uint16Array(rows.length),
      counts: new Float64Array(rows.length),
    }
    rows.forEach(([day, subject, count, whole, billionths], i) => {
      let place = places.get(subject!)
      if (place === undefined) {
        place = places.size
        places.set(subject!, place)
      }
      totals.days[i] = day!
      totals.places[i] = place
      totals.counts[i] = count!
      if (whole !== 0 || billionths !== 0) values.set(i, { whole: whole!, billionths: billionths! })
    })
    return { ...totals, subjects: [...places.keys()], values }
  }

  #forget(site: number, entry: Totals | object): void {
    this.#sites.delete(site)
    this.#bytes -= bytesOf(entry)
  }
}

const bytesOf = (entry: Totals | object): number =>
  'days' in entry ? bytesPerSite + entry.days.length * bytesPerRow : bytesPerSite / 10

function sumRange(
  { days, places, counts, subjects, values }: Totals,
  { start, end }: DateRange,
): SubjectSum[] {
  const sums = new Float64Array(subjects.length)
  const money = new Map<number, DecimalSum>()
  const last = firstFrom(days, end + 1)
  for (let row = firstFrom(days, start); row < last; row++) {
    const place = places[row]!
    sums[place]! += counts[row]!
    const value = values.get(row)
    if (value) money.set(place, addDecimals(money.get(place) ?? zeroSum, value))
  }
  const found: SubjectSum[] = []
  sums.forEach((count, place) => {
    if (count > 0) found.push({ subject: subjects[place]!, count, value: money.get(place) ?? zeroSum })
  })
  return found
}

/** Index of the first row of that day or later. */
function firstFrom(days: Int32Array, day: number): number {
  let [from, to] = [0, days.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (days[middle]! < day) from = middle + 1
    else to = middle
  }
  return from
}
