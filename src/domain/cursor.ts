/** Opaque texts that name a place in the list of events, with a check that tells our own from any other. */
import { crc32 } from 'node:zlib'
import type { DateRange } from './date-range.ts'
import { type EventPosition, type EventType, eventTypes } from './event.ts'

/** Where a list goes on, and the filters that it was made with. */
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

/** Names one event. */
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
  // Sealing again checks everything at once: the sum, the alphabet, and bits that stand for nothing.
  return numbers.length === count && seal(numbers) === text ? numbers : null
}
