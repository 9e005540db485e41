/**
 * A chunk: a few hundred events of one site and type in one row, as columns of fixed width.
 * With a row an event, each event would carry a row's header and key, and a page of 100 would cost 100 row reads (rows 4, 6 and 10
 * of docs/performance.md).
 *
 * Layout: uint16 count, then for each column its base (float64) and width in bytes (uint8), then the columns one after the
 * other, little-endian, each number as its distance from the base. Columns: time (ms), id, origin, path, country, and where an
 * event has one, which the highest bit of the count tells, the sighting (sqlite-sighting.ts). Chunks of conversions have one
 * more, the value as float64, NaN for "not set".
 */

/** Events in the order of (time, id), as columns. */
export interface EventColumns {
  readonly count: number
  readonly time: Float64Array
  readonly id: Float64Array
  readonly origin: Float64Array
  readonly path: Float64Array
  /** Two letters as a number, see packCountry. */
  readonly country: Float64Array
  /** 0 for none. */
  readonly sighting: Float64Array
  /** NaN where no value is set; null for bots and referrals. */
  readonly value: Float64Array | null
}

/** So many fill a database page of 4 KiB with one row (about 13 bytes an event, 3 more with a sighting, 8 more with a value). */
export const chunkEventsMax = (hasValue: boolean, hasSightings: boolean): number =>
  hasValue ? (hasSightings ? 164 : 180) : hasSightings ? 246 : 280

const plainColumns = ['time', 'id', 'origin', 'path', 'country'] as const
const sightedColumns = [...plainColumns, 'sighting'] as const
const columnHeaderBytes = 9
const sightedMark = 0x8000
const headerBytes = (columns: number): number => 2 + columns * columnHeaderBytes

export function hasSightings({ sighting, count }: EventColumns, start = 0, end = count): boolean {
  for (let i = start; i < end; i++) if (sighting[i] !== 0) return true
  return false
}

export const packCountry = (country: string): number => country.charCodeAt(0) * 256 + country.charCodeAt(1)
export const unpackCountry = (code: number): string => String.fromCharCode(code >> 8, code & 255)

export function allocateColumns(count: number, hasValue: boolean): EventColumns {
  return {
    count,
    time: new Float64Array(count),
    id: new Float64Array(count),
    origin: new Float64Array(count),
    path: new Float64Array(count),
    country: new Float64Array(count),
    sighting: new Float64Array(count),
    value: hasValue ? new Float64Array(count) : null,
  }
}

/** Encodes the events from `start` to before `end`. */
export function encodeChunk(events: EventColumns, start: number, end: number): Uint8Array {
  const count = end - start
  const isSighted = hasSightings(events, start, end)
  const columns = isSighted ? sightedColumns : plainColumns
  const spans = columns.map(name => spanOf(events[name], start, end))
  const width = spans.reduce((sum, span) => sum + span.width, events.value ? 8 : 0)
  let at = headerBytes(columns.length)
  const bytes = new Uint8Array(at + width * count)
  const view = new DataView(bytes.buffer)
  view.setUint16(0, isSighted ? count | sightedMark : count, true)
  columns.forEach((name, i) => {
    const { base, width } = spans[i]!
    view.setFloat64(2 + i * columnHeaderBytes, base, true)
    bytes[2 + i * columnHeaderBytes + 8] = width
    at = writeColumn(bytes, at, events[name], start, end, base, width)
  })
  if (events.value) for (let i = start; i < end; i++, at += 8) view.setFloat64(at, events.value[i]!, true)
  return bytes
}

function spanOf(column: Float64Array, start: number, end: number): { base: number; width: number } {
  let low = column[start]!
  let high = low
  for (let i = start + 1; i < end; i++) {
    const value = column[i]!
    if (value < low) low = value
    else if (value > high) high = value
  }
  let width = 0
  for (let rest = high - low; rest > 0; rest = Math.floor(rest / 256)) width++
  return { base: low, width }
}

function writeColumn(
  bytes: Uint8Array,
  from: number,
  column: Float64Array,
  start: number,
  end: number,
  base: number,
  width: number,
): number {
  let at = from
  if (width === 0) return at
  for (let i = start; i < end; i++) {
    let rest = column[i]! - base
    if (width > 4) {
      for (let k = 0; k < width; k++) {
        bytes[at++] = rest % 256
        rest = Math.floor(rest / 256)
      }
      continue
    }
    bytes[at++] = rest
    if (width > 1) bytes[at++] = rest >>> 8
    if (width > 2) bytes[at++] = rest >>> 16
    if (width > 3) bytes[at++] = rest >>> 24
  }
  return at
}

/** Random access to an encoded chunk: nothing is decoded before it is asked for. */
export class ChunkReader {
  readonly count: number
  /** Whether any of the events has a sighting. */
  readonly isSighted: boolean
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #bases: number[] = []
  readonly #widths: number[] = []
  readonly #starts: number[] = []
  readonly #valuesStart: number | null

  constructor(bytes: Uint8Array, hasValue: boolean) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const packedCount = this.#view.getUint16(0, true)
    this.isSighted = packedCount >= sightedMark
    this.count = packedCount & ~sightedMark
    const columns = (this.isSighted ? sightedColumns : plainColumns).length
    let start = headerBytes(columns)
    for (let i = 0; i < columns; i++) {
      const width = bytes[2 + i * columnHeaderBytes + 8]!
      this.#bases.push(this.#view.getFloat64(2 + i * columnHeaderBytes, true))
      this.#widths.push(width)
      this.#starts.push(start)
      start += width * this.count
    }
    this.#valuesStart = hasValue ? start : null
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

  country(index: number): number {
    return this.#read(4, index)
  }

  sighting(index: number): number {
    return this.isSighted ? this.#read(5, index) : 0
  }

  value(index: number): number {
    return this.#valuesStart === null
      ? Number.NaN
      : this.#view.getFloat64(this.#valuesStart + index * 8, true)
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

  copyTo(target: EventColumns, from: number): void {
    const columns = this.isSighted ? sightedColumns : plainColumns
    columns.forEach((name, column) => {
      this.#readColumn(column, target[name], from)
    })
    if (target.value) for (let i = 0; i < this.count; i++) target.value[from + i] = this.value(i)
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
    let at = this.#starts[column]! + index * width
    if (width === 3) return base + (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16))
    if (width === 2) return base + (bytes[at]! | (bytes[at + 1]! << 8))
    if (width === 1) return base + bytes[at]!
    let value = 0
    for (let k = 0, scale = 1; k < width; k++, scale *= 256) value += bytes[at++]! * scale
    return base + value
  }
}

/** Merges two runs that are each in the order of (time, id). */
export function mergeColumns(a: EventColumns, b: EventColumns): EventColumns {
  const merged = allocateColumns(a.count + b.count, a.value !== null)
  let i = 0
  for (let j = 0; j < b.count; j++) {
    const start = i
    while (i < a.count && (a.time[i]! < b.time[j]! || (a.time[i] === b.time[j] && a.id[i]! < b.id[j]!))) i++
    copyEvents(a, start, i, merged, start + j)
    copyEvent(b, j, merged, i + j)
  }
  copyEvents(a, i, a.count, merged, i + b.count)
  return merged
}

const viewFrom = 16

function copyEvents(source: EventColumns, from: number, end: number, target: EventColumns, to: number): void {
  // A view of a few numbers costs more than the numbers.
  if (end - from < viewFrom) {
    for (let i = from; i < end; i++) copyEvent(source, i, target, to + i - from)
    return
  }
  for (const name of sightedColumns) target[name].set(source[name].subarray(from, end), to)
  if (target.value && source.value) target.value.set(source.value.subarray(from, end), to)
}

export function copyEvent(source: EventColumns, from: number, target: EventColumns, to: number): void {
  target.time[to] = source.time[from]!
  target.id[to] = source.id[from]!
  target.origin[to] = source.origin[from]!
  target.path[to] = source.path[from]!
  target.country[to] = source.country[from]!
  target.sighting[to] = source.sighting[from]!
  if (target.value && source.value) target.value[to] = source.value[from]!
}
