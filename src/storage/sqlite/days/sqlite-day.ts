/**
 * The roll-up of one site and day in one row: counts by hour and type, and counts and values by subject.
 * One row a day rather than one a name, so that a range costs one short read (row 2 of docs/performance.md).
 */
import { dayMs, hourMs } from '../../../domain/date-range.ts'
import { addDecimals, type DecimalSum, zeroSum } from '../../../domain/money.ts'
import { ByteReader, ByteWriter } from '../sqlite-bytes.ts'

export interface SubjectTotal {
  count: number
  /** Sum of the values of a conversion. */
  value: DecimalSum
}

export interface DayTotals {
  /** 24 hours by 3 types (bot, referral, conversion). */
  readonly hours: Float64Array
  /** By subject id. */
  readonly subjects: Map<number, SubjectTotal>
}

export const hoursLength = 72

export const emptyDay = (): DayTotals => ({ hours: new Float64Array(hoursLength), subjects: new Map() })

/** Days of one site are neighbours in the order of keys. */
export const dayKey = (site: number, day: number): number => site * 2 ** 22 + day
export const dayOfKey = (key: number): number => key % 2 ** 22

/** Counts an event of this day. */
export function addToDay(
  day: DayTotals,
  time: number,
  type: number,
  subject: number,
  value: DecimalSum,
): void {
  day.hours[Math.floor((time % dayMs) / hourMs) * 3 + type]!++
  addToSubject(day, subject, value)
}

export function addToSubject(day: DayTotals, subject: number, value: DecimalSum): void {
  const total = day.subjects.get(subject)
  if (total === undefined) day.subjects.set(subject, { count: 1, value })
  else {
    total.count++
    if (value !== zeroSum) total.value = addDecimals(total.value, value)
  }
}

const writer = new ByteWriter()

/** Layout: 72 counts, then for each subject by id: distance from the id before, count * 2 + (has a value), value. */
export function encodeDay(day: DayTotals): Uint8Array {
  for (let i = 0; i < hoursLength; i++) writer.number(day.hours[i]!)
  let before = 0
  for (const id of [...day.subjects.keys()].sort((a, b) => a - b)) {
    const { count, value } = day.subjects.get(id)!
    const hasValue = value.whole !== 0 || value.billionths !== 0
    writer.number(id - before)
    writer.number(count * 2 + (hasValue ? 1 : 0))
    if (hasValue) writer.decimal(value)
    before = id
  }
  return writer.take()
}

export function decodeDay(bytes: Uint8Array): DayTotals {
  const day = emptyDay()
  const reader = new ByteReader(bytes)
  for (let i = 0; i < hoursLength; i++) day.hours[i] = reader.number()
  let id = 0
  while (!reader.done) {
    id += reader.number()
    const packed = reader.number()
    day.subjects.set(id, {
      count: Math.floor(packed / 2),
      value: packed % 2 === 1 ? reader.decimal() : zeroSum,
    })
  }
  return day
}
