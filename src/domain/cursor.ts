/** Encodes a position in the list of events as opaque text, with a checksum that detects texts made elsewhere. */
import { crc32 } from 'node:zlib'
import type { DateRange } from './date-range.ts'
import { type EventPosition, type EventType, eventTypes } from './event.ts'

/** The position where a list continues, and the filters of the list. */
export interface ListCursor {
  readonly position: EventPosition
  readonly range: DateRange
  readonly type: EventType | null
}

export function encodeCursor({ position, range, type }: ListCursor): string {
  const typeNumber = type === null ? 0 : eventTypes.indexOf(type) + 1
  return seal([position.createdAt, position.id, range.start, range.end, typeNumber])
}

/** Null when this service did not make it. */
export function decodeCursor(text: string): ListCursor | null {
  const [createdAt, id, start, end, typeNumber] = unseal(text, 5) ?? []
  if (typeNumber === undefined) return null
  return {
    position: { createdAt: createdAt!, id: id! },
    range: { start: start!, end: end! },
    type: eventTypes[typeNumber - 1] ?? null,
  }
}

/** An opaque text that names one event. */
export const encodePosition = ({ createdAt, id }: EventPosition): string => seal([createdAt, id])

/** Null when this service did not make it. */
export function decodePosition(text: string): EventPosition | null {
  const [createdAt, id] = unseal(text, 2) ?? []
  return id === undefined ? null : { createdAt: createdAt!, id }
}

const checkBytes = 4
const salt = 0x70_75_67_6d

function seal(numbers: readonly number[]): string {
  const content = Buffer.from(numbers.join(' '))
  const check = Buffer.alloc(checkBytes)
  check.writeUInt32BE(crc32(content, salt))
  return Buffer.concat([check, content]).toString('base64url')
}

function unseal(text: string, count: number): number[] | null {
  const numbers = Buffer.from(text, 'base64url').toString('latin1', checkBytes).split(' ').map(Number)
  // Sealing again checks the checksum, the alphabet and unused bits at once.
  return numbers.length === count && seal(numbers) === text ? numbers : null
}
