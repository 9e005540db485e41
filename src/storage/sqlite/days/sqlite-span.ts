/**
 * A span: the roll-ups of 32 days of one site as running totals in memory, so that a range costs one subtraction a name
 * and span, whatever the traffic (row 2 of docs/performance.md).
 */
import { hoursLength } from './sqlite-day.ts'

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

const arrays = { 1: Uint8Array, 2: Uint16Array, 8: Float64Array } as const

/** Of the objects around the numbers. */
const objectBytes = 900

/** Bytes that the numbers of a span take. */
export function spanLength(shape: SpanShape): number {
  return daysAt(shape) + shape.dayBytes * spanDays * 3
}

/** The span in a piece of memory: in one, since each costs some hundred bytes beside its own. */
export function spanIn(memory: ArrayBuffer, firstDay: number, shape: SpanShape): Span {
  const { width, valuedWidth, countBytes, hourBytes, dayBytes } = shape
  return {
    ...shape,
    firstDay,
    bytes: objectBytes + memory.byteLength,
    counts: new arrays[countBytes](memory, countsAt(shape), (spanDays + 2) * width),
    values: new Float64Array(memory, 0, (2 * spanDays + 3) * valuedWidth),
    hours: new arrays[hourBytes](memory, hoursAt(shape), spanDays * hoursLength),
    days: new arrays[dayBytes](memory, daysAt(shape), spanDays * 3),
  }
}

const countsAt = ({ valuedWidth }: SpanShape): number => 8 * (2 * spanDays + 3) * valuedWidth

/** Counts of two bytes may end where no number of eight can begin. */
const hoursAt = (shape: SpanShape): number =>
  Math.ceil((countsAt(shape) + shape.countBytes * (spanDays + 2) * shape.width) / 8) * 8

const daysAt = (shape: SpanShape): number => hoursAt(shape) + shape.hourBytes * spanDays * hoursLength
