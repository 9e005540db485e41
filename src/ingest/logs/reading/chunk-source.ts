/** Reads a log that arrives in chunks: from standard input, a pipe or a decompressor. */
import type { ByteSource } from './byte-source.ts'

export interface ChunkSourceParts {
  readonly chunks: AsyncIterator<Buffer>
  readonly storedBytes: () => number
  readonly close: () => Promise<void>
}

export function chunkSource({ chunks, storedBytes, close }: ChunkSourceParts): ByteSource {
  let rest: Buffer = Buffer.alloc(0)

  return {
    async read(target, at) {
      while (rest.length === 0) {
        const next = await chunks.next()
        if (next.done) return 0
        rest = next.value
      }
      const copied = rest.copy(target, at)
      rest = rest.subarray(copied)
      return copied
    },
    get storedBytes() {
      return storedBytes()
    },
    seekable: null,
    close,
  }
}
