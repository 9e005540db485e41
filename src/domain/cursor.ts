/** The opaque cursor of the event list: a position (time and id) and a check that tells our cursors from other texts. */
import { crc32 } from 'node:zlib'
import type { EventPosition } from './event.ts'

const positionBytes = 14
const salt = 0x66_6f_6f_74

export function encodeCursor(position: EventPosition): string {
  const bytes = Buffer.alloc(positionBytes + 4)
  writeUint56(bytes, 0, position.createdAt)
  writeUint56(bytes, 7, position.id)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, positionBytes), salt), positionBytes)
  return bytes.toString('base64url')
}

/** The position in a cursor, or null when this service did not make it. */
export function decodeCursor(text: string): EventPosition | null {
  if (!/^[\w-]{24}$/.test(text)) return null
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.readUInt32BE(positionBytes) !== crc32(bytes.subarray(0, positionBytes), salt)) return null
  return { createdAt: readUint56(bytes, 0), id: readUint56(bytes, 7) }
}

// 2^53 needs seven bytes; Buffer's own readers stop at six.
function writeUint56(bytes: Buffer, at: number, value: number): void {
  bytes.writeUInt8(Math.floor(value / 2 ** 48), at)
  bytes.writeUIntBE(value % 2 ** 48, at + 1, 6)
}

const readUint56 = (bytes: Buffer, at: number): number =>
  bytes.readUInt8(at) * 2 ** 48 + bytes.readUIntBE(at + 1, 6)
