/**
 * A span: the roll-ups of 32 days of one site as running totals in memory, so that a range costs one subtraction a name
 * and span, whatever the traffic (row 2 of docs/performance.md).
 */
import { type DayTotals, hoursLength } from './sqlite-day.ts'

export const spanDays = 32
export const spanOf = (day: number): number => Math.floor(day / spanDays)

export interface Span {
  readonly bytes: number
  /** Indexes of the names that occur, into the list of names of the site. */
  readonly names: Uint32Array
  /** At each of the 33 boundaries between days: a running count for each of `names`. */
  readonly counts: Uint16Array | Float64Array
  /** Which of `names` have values, and their running sums, split as in domain/money.ts. */
  readonly valued: Uint32Array
  readonly wholes: Float64Array
  readonly billionths: Float64Array
  /** 32 days by 24 hours by 3 types. */
  readonly hours: Uint8Array | Uint16Array | Float64Array
  /** 32 days by 3 types. */
  readonly days: Float64Array
}

/** `days` by their place in the span (0 to 31); `nameOf` gives the index of a subject's name. */
export function buildSpan(days: ReadonlyMap<number, DayTotals>, nameOf: (subject: number) => number): Span {
  const totals = new Map<number, { count: number; valued: boolean }>()
  let hourMax = 0
  for (const { hours, subjects } of days.values()) {
    for (const count of hours) if (count > hourMax) hourMax = count
    for (const [subject, { count, value }] of subjects) {
      const name = nameOf(subject)
      const hasValue = value.whole !== 0 || value.billionths !== 0
      const total = totals.get(name)
      if (!total) totals.set(name, { count, valued: hasValue })
      else {
        total.count += count
        total.valued ||= hasValue
      }
    }
  }
  const names = Uint32Array.from(totals.keys())
  const valued = Uint32Array.from(names.keys()).filter(i => totals.get(names[i]!)!.valued)
  const countMax = Math.max(0, ...[...totals.values()].map(total => total.count))
  const boundaries = spanDays + 1
  const counts = new (countMax < 2 ** 16 ? Uint16Array : Float64Array)(boundaries * names.length)
  const wholes = new Float64Array(boundaries * valued.length)
  const billionths = new Float64Array(boundaries * valued.length)
  const hours = new (hourMax < 2 ** 8 ? Uint8Array : hourMax < 2 ** 16 ? Uint16Array : Float64Array)(
    spanDays * hoursLength,
  )
  const dayTotals = new Float64Array(spanDays * 3)
  const place = new Map(Array.from(names, (name, i) => [name, i]))
  const valuedPlace = new Map(Array.from(valued, (i, v) => [names[i]!, v]))
  for (let day = 0; day < spanDays; day++) {
    carry(counts, names.length, day)
    carry(wholes, valued.length, day)
    carry(billionths, valued.length, day)
    const totalsOfDay = days.get(day)
    if (!totalsOfDay) continue
    hours.set(totalsOfDay.hours, day * hoursLength)
    for (let i = 0; i < hoursLength; i++) dayTotals[day * 3 + (i % 3)]! += totalsOfDay.hours[i]!
    for (const [subject, { count, value }] of totalsOfDay.subjects) {
      const name = nameOf(subject)
      counts[(day + 1) * names.length + place.get(name)!]! += count
      const v = valuedPlace.get(name)
      if (v === undefined) continue
      wholes[(day + 1) * valued.length + v]! += value.whole
      billionths[(day + 1) * valued.length + v]! += value.billionths
    }
  }
  const bytes = 1_300 + counts.byteLength + hours.byteLength + wholes.byteLength * 2 + names.byteLength
  return { bytes, names, counts, valued, wholes, billionths, hours, days: dayTotals }
}

/** A boundary starts with what the boundary before it had. */
function carry(totals: Uint16Array | Float64Array, width: number, day: number): void {
  totals.copyWithin((day + 1) * width, day * width, (day + 1) * width)
}
