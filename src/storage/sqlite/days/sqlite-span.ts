/**
 * A span: the roll-ups of 32 days of one site as running totals in memory, so that a range costs one subtraction a name
 * and span, whatever the traffic (row 2 of docs/performance.md).
 */
import type { DateRange } from '../../../domain/date-range.ts'
import { hoursLength } from './sqlite-day.ts'
import type { NameSums } from './sqlite-ranking.ts'

export const spanDays = 32
export const spanOf = (day: number): number => Math.floor(day / spanDays)

/** How wide the columns of a span are, from which it follows where they lie in its memory. */
export interface SpanShape {
  /** How many names occur. */
  readonly width: number
  /** How many of them have values. */
  readonly valuedWidth: number
  /** Bytes a number. */
  readonly countBytes: 2 | 8
  readonly hourBytes: 1 | 2 | 8
  readonly dayBytes: 2 | 8
}

export interface Span extends SpanShape {
  readonly firstDay: number
  /** Which thread has read it. */
  readonly thread: number
  /** What it takes in memory. */
  readonly bytes: number
  /**
   * Rows of `width`: the indexes of these names in the list of the site, then a running count of each at each of the 33 boundaries
   * between days. One array, since what a question costs is what it must fetch from memory.
   */
  readonly counts: Uint16Array | Float64Array
  /** The indexes of the names with values, then at each boundary a running sum of each: two numbers, split as in domain/money.ts. */
  readonly values: Float64Array
  /** 32 days by 24 hours by 3 types. */
  readonly hours: Uint8Array | Uint16Array | Float64Array
  /** 32 days by 3 types. */
  readonly days: Uint16Array | Float64Array
}

type NumbersIn<Numbers> = new (memory: ArrayBufferLike, at: number, length: number) => Numbers

const arrays: {
  readonly 1: NumbersIn<Uint8Array>
  readonly 2: NumbersIn<Uint16Array>
  readonly 8: NumbersIn<Float64Array>
} = { 1: Uint8Array, 2: Uint16Array, 8: Float64Array }

/** Of the objects around the numbers. */
const objectBytes = 900

/** Bytes that the numbers of a span take. */
export function spanLength(shape: SpanShape): number {
  return daysAt(shape) + shape.dayBytes * spanDays * 3
}

/** The span in a piece of memory: in one, since each costs some hundred bytes beside its own. */
export function spanIn(memory: ArrayBufferLike, firstDay: number, shape: SpanShape, thread: number): Span {
  const { width, valuedWidth, countBytes, hourBytes, dayBytes } = shape
  return {
    firstDay,
    thread,
    width,
    valuedWidth,
    countBytes,
    hourBytes,
    dayBytes,
    bytes: objectBytes + memory.byteLength,
    counts: new arrays[countBytes](memory, countsAt(shape), (spanDays + 2) * width),
    values: new Float64Array(memory, 0, (2 * spanDays + 3) * valuedWidth),
    hours: new arrays[hourBytes](memory, hoursAt(shape), spanDays * hoursLength),
    days: new arrays[dayBytes](memory, daysAt(shape), spanDays * 3),
  }
}

export const shapeOf = ({ width, valuedWidth, countBytes, hourBytes, dayBytes }: Span): SpanShape => ({
  width,
  valuedWidth,
  countBytes,
  hourBytes,
  dayBytes,
})

/** Whether other threads can have it. */
export const isShared = ({ counts }: Span): boolean => counts.buffer instanceof SharedArrayBuffer

const countsAt = ({ valuedWidth }: SpanShape): number => 8 * (2 * spanDays + 3) * valuedWidth

/** Counts of two bytes may end where no number of eight can begin. */
const hoursAt = (shape: SpanShape): number =>
  Math.ceil((countsAt(shape) + shape.countBytes * (spanDays + 2) * shape.width) / 8) * 8

const daysAt = (shape: SpanShape): number => hoursAt(shape) + shape.hourBytes * spanDays * hoursLength

/** Adds what a range has of a span: what came from one boundary between days to another. */
export function addSpan(sums: NameSums, span: Span, range: DateRange): void {
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
