/**
 * A chunk: a few hundred events of one site in one row, as columns of fixed width.
 * With a row an event, each event would carry a row's header and key, and a page of 100 would cost 100 row reads (rows 4, 6 and 10
 * of docs/performance.md).
 *
 * Layout: uint16 count and two marks, then for each column its base (float64) and width in bytes (uint8), then the columns one after
 * the other, little-endian, each number as its distance from the base. Columns: time (ms), id, origin, path, country, and where an
 * event has one, which a mark tells, the sighting (sqlite-sighting.ts). Where events are of several types, which the other mark
 * tells, their types follow, two bits an event. Last come the values, of conversions only, as float64, NaN for "not set".
 */
import { conversionType, type EventColumns } from './sqlite-event-columns.ts'

/**
 * What fits a page of the database, of 4 KiB, with the row around it. A longer chunk lies on two pages, which takes twice as long to
 * read (row 4 of docs/performance.md).
 */
export const chunkBytesMax = 4_032

/** Beyond this, of events that differ little, reading one costs more than two chunks. */
const chunkEventsMax = 512

export const plainColumns = ['time', 'id', 'origin', 'path', 'country'] as const
export const sightedColumns = [...plainColumns, 'sighting'] as const
export const columnHeaderBytes = 9
export const sightedMark = 0x8000
export const typedMark = 0x4000
export const countMask = typedMark - 1
export const headerBytes = (columns: number): number => 2 + columns * columnHeaderBytes
export const typesBytes = (events: number): number => Math.ceil(events / 4)

function hasSightings({ sighting }: EventColumns, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (sighting[i] !== 0) return true
  return false
}

/** Types of events, as bits, by which chunks with a rare one are found; 0 where all are of one type. */
export function typesOf({ type }: EventColumns, start: number, end: number): number {
  let types = 0
  if (type) for (let i = start; i < end; i++) types |= 1 << type[i]!
  return types
}

/**
 * How many events from `start` on, one at least, make a chunk that fits a page. Sometimes a few more would: columns are looked at as a
 * whole, which takes a tenth of the time of event by event (row 6 of docs/performance.md).
 */
export function countThatFits(events: EventColumns, start: number): number {
  const most = Math.min(events.count - start, chunkEventsMax)
  let fitting = 1
  let tried = most
  while (tried > fitting) {
    const room = roomBy(events, start, start + tried)
    if (room >= tried) fitting = tried
    // Fewer events have no wider columns, so that they fit; where columns are narrower, there is room for more.
    tried = Math.min(room, most)
  }
  return fitting
}

/** How many events fit a page with the widths of the columns, and the conversions, of these. */
function roomBy(events: EventColumns, start: number, end: number): number {
  const columns = hasSightings(events, start, end) ? sightedColumns : plainColumns
  const bytes =
    chunkBytesMax -
    headerBytes(columns.length) -
    (events.type ? 1 + 8 * conversionsOf(events, start, end) : 0)
  let width = events.type ? 1 / 4 : events.value ? 8 : 0
  for (const name of columns) width += spanOf(events[name], start, end).width
  return Math.floor(bytes / width)
}

/** Those that have a value of their own in a chunk of all types. */
function conversionsOf({ type }: EventColumns, start: number, end: number): number {
  let conversions = 0
  if (type) for (let i = start; i < end; i++) if (type[i] === conversionType) conversions++
  return conversions
}

/** Encodes the events from `start` to before `end`, in `memory` if they fit it, which lasts until that is used again. */
export function encodeChunk(
  events: EventColumns,
  start: number,
  end: number,
  memory?: Uint8Array<ArrayBuffer>,
): Uint8Array {
  const { type, value } = events
  const count = end - start
  const isSighted = hasSightings(events, start, end)
  const columns = isSighted ? sightedColumns : plainColumns
  const spans = columns.map(name => spanOf(events[name], start, end))
  const width = spans.reduce((sum, span) => sum + span.width, 0)
  const values = type ? conversionsOf(events, start, end) : value ? count : 0
  let at = headerBytes(columns.length)
  const length = at + width * count + (type ? typesBytes(count) : 0) + 8 * values
  const bytes = memory && length <= memory.length ? memory.subarray(0, length) : new Uint8Array(length)
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  view.setUint16(0, count | (isSighted ? sightedMark : 0) | (type ? typedMark : 0), true)
  columns.forEach((name, i) => {
    const { base, width } = spans[i]!
    view.setFloat64(2 + i * columnHeaderBytes, base, true)
    bytes[2 + i * columnHeaderBytes + 8] = width
    at = writeColumn(bytes, at, events[name], start, end, base, width)
  })
  if (type) {
    bytes.fill(0, at, at + typesBytes(count))
    for (let i = 0; i < count; i++) bytes[at + (i >> 2)]! |= type[start + i]! << ((i & 3) * 2)
    at += typesBytes(count)
  }
  if (value)
    for (let i = start; i < end; i++) {
      if (type && type[i] !== conversionType) continue
      view.setFloat64(at, value[i]!, true)
      at += 8
    }
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
  return { base: low, width: widthOf(high - low) }
}

/** Bytes of the largest distance from the base. */
function widthOf(distance: number): number {
  let width = 0
  for (let rest = distance; rest > 0; rest = Math.floor(rest / 256)) width++
  return width
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
