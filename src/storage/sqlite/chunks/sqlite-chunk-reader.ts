/** Reads chunks (sqlite-chunk.ts): any event of them, whole columns of some events, or all. */
import {
  columnHeaderBytes,
  countMask,
  headerBytes,
  plainColumns,
  sightedColumns,
  sightedMark,
  typedMark,
  typesBytes,
} from './sqlite-chunk.ts'
import type { ColumnMemory } from './sqlite-column-memory.ts'
import { allocateColumns, allocateTyped, conversionType, type EventColumns } from './sqlite-event-columns.ts'

type ColumnName = (typeof plainColumns)[number]
type NumberColumn = Float64Array | Uint32Array | Uint16Array

/** By four types of two bits each: how many of them are conversions. */
const conversionsIn = Uint8Array.from(
  { length: 256 },
  (_, four) => [0, 2, 4, 6].filter(shift => ((four >> shift) & 3) === conversionType).length,
)

/** Random access to an encoded chunk: nothing is decoded before it is asked for. */
export class ChunkReader {
  readonly count: number
  /** Whether any of the events has a sighting. */
  readonly isSighted: boolean
  /** Whether the events may be of several types. */
  readonly isTyped: boolean
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #bases: number[] = []
  readonly #widths: number[] = []
  readonly #starts: number[] = []
  readonly #typesStart: number
  readonly #valuesStart: number

  /** Of events of one type, those of conversions have a value. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const marked = this.#view.getUint16(0, true)
    this.isSighted = (marked & sightedMark) !== 0
    this.isTyped = (marked & typedMark) !== 0
    this.count = marked & countMask
    const columns = (this.isSighted ? sightedColumns : plainColumns).length
    let start = headerBytes(columns)
    for (let i = 0; i < columns; i++) {
      const width = bytes[2 + i * columnHeaderBytes + 8]!
      this.#bases.push(this.#view.getFloat64(2 + i * columnHeaderBytes, true))
      this.#widths.push(width)
      this.#starts.push(start)
      start += width * this.count
    }
    this.#typesStart = start
    this.#valuesStart = this.isTyped ? start + typesBytes(this.count) : start
  }

  time(index: number): number {
    return this.#read(0, index)
  }

  id(index: number): number {
    return this.#read(1, index)
  }

  origin(index: number): number {
    return this.#read(2, index)
  }

  path(index: number): number {
    return this.#read(3, index)
  }

  sighting(index: number): number {
    return this.isSighted ? this.#read(5, index) : 0
  }

  /** Where events may be of several types. */
  type(index: number): number {
    return (this.#bytes[this.#typesStart + (index >> 2)]! >> ((index & 3) * 2)) & 3
  }

  /** Where all events are conversions. */
  value(index: number): number {
    return this.#view.getFloat64(this.#valuesStart + index * 8, true)
  }

  get hasValues(): boolean {
    return this.#bytes.length > this.#valuesStart
  }

  /** How many events come before (time, id) in ascending order. */
  countBefore(time: number, id: number): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      const at = this.time(middle)
      if (at < time || (at === time && this.id(middle) < id)) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Decodes one column of `count` events, from the one before `end` down, into `target` from `to` on. */
  pickDown(name: ColumnName, end: number, count: number, target: NumberColumn, to: number): void {
    const column = plainColumns.indexOf(name)
    const width = this.#widths[column]!
    const base = this.#bases[column]!
    const bytes = this.#bytes
    let at = this.#starts[column]! + (end - 1) * width
    const last = to + count
    // A loop for each width, as in `#readColumn` (row 4 of docs/performance.md).
    if (width === 0) target.fill(base, to, last)
    else if (width === 1) for (let i = to; i < last; i++) target[i] = base + bytes[at--]!
    else if (width === 2)
      for (let i = to; i < last; i++, at -= 2) target[i] = base + (bytes[at]! | (bytes[at + 1]! << 8))
    else if (width === 3)
      for (let i = to; i < last; i++, at -= 3)
        target[i] = base + (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16))
    else if (width === 4)
      for (let i = to; i < last; i++, at -= 4) {
        const low = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)
        target[i] = base + ((low | (bytes[at + 3]! << 24)) >>> 0)
      }
    else for (let i = 0; i < count; i++) target[to + i] = this.#read(column, end - 1 - i)
  }

  /** The same of the events at `places`. */
  pick(name: ColumnName, places: Uint16Array, count: number, target: NumberColumn, to: number): void {
    const column = plainColumns.indexOf(name)
    for (let i = 0; i < count; i++) target[to + i] = this.#read(column, places[i]!)
  }

  /** Puts the values of the events from `end` down to `start`, neither less nor more, into `target` from `to` on. */
  pickValues(start: number, end: number, target: Float64Array, to: number): void {
    if (!this.hasValues) {
      target.fill(Number.NaN, to, to + end - start)
      return
    }
    let next = this.#valuesStart + 8 * (this.isTyped ? this.#conversionsBefore(end) : end)
    for (let i = end - 1, at = to; i >= start; i--, at++) {
      const hasValue = !this.isTyped || this.type(i) === conversionType
      if (hasValue) next -= 8
      target[at] = hasValue ? this.#view.getFloat64(next, true) : Number.NaN
    }
  }

  copyTo(target: EventColumns, from: number): void {
    const columns = this.isSighted ? sightedColumns : plainColumns
    columns.forEach((name, column) => {
      this.#readColumn(column, target[name], from)
    })
    if (!this.isSighted) target.sighting.fill(0, from, from + this.count)
    if (target.type) for (let i = 0; i < this.count; i++) target.type[from + i] = this.type(i)
    if (!target.value) return
    let next = this.#valuesStart
    for (let i = 0; i < this.count; i++) {
      const hasValue = !target.type || target.type[from + i] === conversionType
      target.value[from + i] = hasValue ? this.#view.getFloat64(next, true) : Number.NaN
      if (hasValue) next += 8
    }
  }

  /** All its events, decoded, in new columns or in those of a memory. */
  columns(memory?: ColumnMemory): EventColumns {
    const { count, isTyped, hasValues } = this
    const columns =
      memory?.columns(count, isTyped, hasValues) ??
      (isTyped ? allocateTyped(count) : allocateColumns(count, hasValues))
    this.copyTo(columns, 0)
    return columns
  }

  #conversionsBefore(index: number): number {
    const start = this.#typesStart
    const whole = start + (index >> 2)
    let conversions = 0
    for (let at = start; at < whole; at++) conversions += conversionsIn[this.#bytes[at]!]!
    for (let i = index & ~3; i < index; i++) if (this.type(i) === conversionType) conversions++
    return conversions
  }

  /** A loop for each width: what merges events into chunks decodes hundreds for each that it adds (row 7 of docs/performance.md). */
  #readColumn(column: number, target: Float64Array, from: number): void {
    const width = this.#widths[column]!
    const base = this.#bases[column]!
    const bytes = this.#bytes
    const end = from + this.count
    let at = this.#starts[column]!
    if (width === 0) target.fill(base, from, end)
    else if (width === 1) for (let i = from; i < end; i++) target[i] = base + bytes[at++]!
    else if (width === 2)
      for (let i = from; i < end; i++, at += 2) target[i] = base + (bytes[at]! | (bytes[at + 1]! << 8))
    else if (width === 3)
      for (let i = from; i < end; i++, at += 3)
        target[i] = base + (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16))
    else for (let i = from; i < end; i++) target[i] = this.#read(column, i - from)
  }

  #read(column: number, index: number): number {
    const width = this.#widths[column]!
    const base = this.#bases[column]!
    const bytes = this.#bytes
    const at = this.#starts[column]! + index * width
    if (width === 3) return base + (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16))
    if (width === 2) return base + (bytes[at]! | (bytes[at + 1]! << 8))
    if (width === 1) return base + bytes[at]!
    if (width === 0) return base
    let value = (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)) + bytes[at + 3]! * 2 ** 24
    for (let k = 4, scale = 2 ** 32; k < width; k++, scale *= 256) value += bytes[at + k]! * scale
    return base + value
  }
}
