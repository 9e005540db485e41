/** A chunk of one event, as the inbox holds it: the bytes of encodeChunk without columns to read them from (row 7 of docs/performance.md). */
import {
  columnHeaderBytes,
  headerBytes,
  plainColumns,
  sightedColumns,
  sightedMark,
} from '../chunks/sqlite-chunk.ts'

export interface ChunkEvent {
  readonly time: number
  readonly id: number
  readonly origin: number
  readonly path: number
  readonly country: number
  /** 0 for none. */
  readonly sighting: number
  /** Null where none is set, and for bots and referrals. */
  readonly value: number | null
}

const mostBytes = headerBytes(sightedColumns.length) + 8
// The width of every column is 0, and stays it.
const bytes = new Uint8Array(mostBytes)
const view = new DataView(bytes.buffer)
const beginnings = Array.from({ length: mostBytes + 1 }, (_, length) => bytes.subarray(0, length))

/** Holds until the next call. */
export function encodeOne(
  { time, id, origin, path, country, sighting, value }: ChunkEvent,
  hasValue: boolean,
): Uint8Array {
  const isSighted = sighting !== 0
  view.setUint16(0, isSighted ? 1 | sightedMark : 1, true)
  view.setFloat64(2, time, true)
  view.setFloat64(2 + columnHeaderBytes, id, true)
  view.setFloat64(2 + 2 * columnHeaderBytes, origin, true)
  view.setFloat64(2 + 3 * columnHeaderBytes, path, true)
  view.setFloat64(2 + 4 * columnHeaderBytes, country, true)
  let end = headerBytes(plainColumns.length)
  if (isSighted) {
    view.setFloat64(end, sighting, true)
    bytes[end + 8] = 0
    end = headerBytes(sightedColumns.length)
  }
  if (!hasValue) return beginnings[end]!
  view.setFloat64(end, value ?? Number.NaN, true)
  return beginnings[end + 8]!
}
