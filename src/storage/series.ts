/** Time series as engines give them: three counts a bucket (bot, referral, conversion), in runs. */
import type { DateRange } from '../domain/date-range.ts'

export type Granularity = 'day' | 'hour'

/** As much of a series as the engine has in one piece: `counts` from `from` to before `to`. */
export interface SeriesRun {
  /** Place of its first count among all counts of the series. */
  readonly at: number
  /** The engine's own, which nobody changes: a copy of each took as long as the rest of the question (row 3 of docs/performance.md). */
  readonly counts: Uint8Array | Uint16Array | Float64Array
  readonly from: number
  readonly to: number
}

/** From the first bucket of the range to the last, in the order of time. What is in no run is 0. */
export type Series = readonly SeriesRun[]

/** All counts of a series over `range`, also those of 0. */
export function allCounts(series: Series, range: DateRange, granularity: Granularity): Float64Array {
  const perDay = granularity === 'hour' ? 24 * 3 : 3
  const all = new Float64Array((range.end - range.start + 1) * perDay)
  for (const { at, counts, from, to } of series) all.set(counts.subarray(from, to), at)
  return all
}
