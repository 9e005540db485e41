/** Makes spans from the roll-ups of their days. */
import { ByteReader } from '../sqlite-bytes.ts'
import { hoursLength } from './sqlite-day.ts'
import { readDays } from './sqlite-day-rows.ts'
import { type Span, type SpanShape, spanDays, spanIn, spanLength } from './sqlite-span.ts'
import type { SpanExchange } from './sqlite-span-exchange.ts'

/** A day's roll-up as it is stored (sqlite-day.ts), by its place in the span (0 to 31). */
export interface StoredDay {
  readonly place: number
  readonly data: Uint8Array
}

/** See SiteNames. */
export interface SubjectNames {
  readonly indexes: Uint32Array
  placeOf(subject: number, expected: number): number
}

/** What the days of one span say, gathered before it is known how wide the span's columns must be; used again for every span. */
class Gathering {
  readonly hours = new Float64Array(spanDays * hoursLength)
  readonly days = new Float64Array(spanDays * 3)
  /** One entry a day and subject: day, column, count. */
  entries = new Float64Array(3 * 1_024)
  /** One entry a day and subject with a value: day, column, whole, billionths. */
  valued = new Float64Array(4 * 64)
  /** By column: the index of its name. */
  readonly names: number[] = []
  /** By column: the count of the whole span. */
  totals = new Float64Array(64)
  /** By column: which of those with values it is, or -1. */
  valuedColumns = new Int32Array(64)
  valuedWidth = 0
  /** By index of a name: its column, or -1. */
  #columns = new Int32Array(64).fill(-1)
  entriesEnd = 0
  valuedEnd = 0
  hourMax = 0
  dayMax = 0

  clear(): void {
    this.hours.fill(0)
    this.days.fill(0)
    for (const name of this.names) this.#columns[name] = -1
    this.names.length = 0
    this.entriesEnd = 0
    this.valuedEnd = 0
    this.valuedWidth = 0
    this.hourMax = 0
    this.dayMax = 0
  }

  add(day: number, reader: ByteReader, end: number, names: SubjectNames): void {
    this.#addHours(day, reader)
    for (let subject = 0, expected = 0; reader.position < end; expected++) {
      subject += reader.number()
      expected = names.placeOf(subject, expected)
      const column = this.#columnOf(names.indexes[expected]!)
      const packed = reader.number()
      const count = Math.floor(packed / 2)
      this.totals[column]! += count
      if (this.entriesEnd + 3 > this.entries.length) this.entries = twice(this.entries)
      this.entries[this.entriesEnd++] = day
      this.entries[this.entriesEnd++] = column
      this.entries[this.entriesEnd++] = count
      if (packed % 2 === 1) this.#addValue(day, column, reader)
    }
  }

  #addHours(day: number, reader: ByteReader): void {
    for (let i = 0, at = day * hoursLength; i < hoursLength; i++, at++) {
      const stored = reader.number()
      if (stored === 0) continue
      const count = this.hours[at]! + stored
      this.hours[at] = count
      this.hourMax = Math.max(this.hourMax, count)
      this.days[day * 3 + (i % 3)]! += stored
    }
    for (let at = day * 3; at < day * 3 + 3; at++) this.dayMax = Math.max(this.dayMax, this.days[at]!)
  }

  #addValue(day: number, column: number, reader: ByteReader): void {
    const { whole, billionths } = reader.decimal()
    if (this.valuedColumns[column] === -1) this.valuedColumns[column] = this.valuedWidth++
    if (this.valuedEnd + 4 > this.valued.length) this.valued = twice(this.valued)
    this.valued[this.valuedEnd++] = day
    this.valued[this.valuedEnd++] = column
    this.valued[this.valuedEnd++] = whole
    this.valued[this.valuedEnd++] = billionths
  }

  #columnOf(name: number): number {
    while (name >= this.#columns.length) {
      const columns = new Int32Array(this.#columns.length * 2).fill(-1)
      columns.set(this.#columns)
      this.#columns = columns
    }
    const known = this.#columns[name]!
    if (known !== -1) return known
    const column = this.names.push(name) - 1
    this.#columns[name] = column
    if (column === this.totals.length) {
      this.totals = twice(this.totals)
      const valuedColumns = new Int32Array(column * 2)
      valuedColumns.set(this.valuedColumns)
      this.valuedColumns = valuedColumns
    }
    this.totals[column] = 0
    this.valuedColumns[column] = -1
    return column
  }
}

const gathering = new Gathering()

/** Of stored days (sqlite-day-rows.ts), and of days that wait beside them; in memory that threads can share where they exchange spans. */
export function buildSpan(
  firstDay: number,
  stored: Uint8Array,
  waiting: readonly StoredDay[],
  names: SubjectNames,
  exchange: SpanExchange | null,
): Span {
  gathering.clear()
  readDays(stored, (place, from, end) => gathering.add(place, new ByteReader(stored, from), end, names))
  for (const { place, data } of waiting) gathering.add(place, new ByteReader(data), data.length, names)
  const shape = gatheredShape(gathering)
  const length = spanLength(shape)
  const span =
    exchange?.spanOf(firstDay, shape, length) ?? spanIn(new ArrayBuffer(length), firstDay, shape, 0)
  fillCounts(span)
  fillValues(span)
  span.hours.set(gathering.hours)
  span.days.set(gathering.days)
  return span
}

function gatheredShape({ names, totals, valuedWidth, hourMax, dayMax }: Gathering): SpanShape {
  let largest = 0
  for (let column = 0; column < names.length; column++)
    largest = Math.max(largest, totals[column]!, names[column]!)
  return {
    width: names.length,
    valuedWidth,
    countBytes: largest < 2 ** 16 ? 2 : 8,
    hourBytes: hourMax < 2 ** 8 ? 1 : hourMax < 2 ** 16 ? 2 : 8,
    dayBytes: dayMax < 2 ** 16 ? 2 : 8,
  }
}

function fillCounts({ counts, width }: Span): void {
  const { names, entries, entriesEnd } = gathering
  counts.set(names)
  for (let at = 0; at < entriesEnd; at += 3) {
    counts[(entries[at]! + 2) * width + entries[at + 1]!]! += entries[at + 2]!
  }
  runUp(counts, width, width)
}

function fillValues({ values, valuedWidth }: Span): void {
  const { names, valued, valuedEnd, valuedColumns } = gathering
  const rowLength = valuedWidth * 2
  for (let at = 0; at < valuedEnd; at += 4) {
    const column = valuedColumns[valued[at + 1]!]!
    const cell = valuedWidth + (valued[at]! + 1) * rowLength + column * 2
    values[column] = names[valued[at + 1]!]!
    values[cell]! += valued[at + 2]!
    values[cell + 1]! += valued[at + 3]!
  }
  runUp(values, valuedWidth, rowLength)
}

/** Each boundary gets what the boundary before it has; rows of `width` that begin at `start`. */
function runUp(totals: Uint16Array | Float64Array, start: number, width: number): void {
  for (let at = start + width; at < totals.length; at++) totals[at]! += totals[at - width]!
}

function twice(numbers: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}
