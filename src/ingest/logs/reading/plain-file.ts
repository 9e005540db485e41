/** Reads a log that is an uncompressed file, through one file handle. */
import type { FileHandle } from 'node:fs/promises'
import type { ByteSource } from './byte-source.ts'

export function plainFile(handle: FileHandle): ByteSource {
  let position = 0

  async function bytesAt(offset: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return bytes.subarray(0, filled)
  }

  return {
    async read(target, at) {
      const { bytesRead } = await handle.read(target, at, target.length - at, position)
      position += bytesRead
      return bytesRead
    },
    get storedBytes() {
      return position
    },
    seekable: {
      size: async () => (await handle.stat()).size,
      bytesAt,
      seek(offset) {
        position = offset
      },
    },
    close: () => handle.close(),
  }
}
