/** Decompresses logs, recognized by their first bytes: gzip (also several members in a row) and Zstandard. */
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { AppError } from '../../../domain/errors.ts'

export type Compression = 'gzip' | 'zstd'

/** Bytes that `compressionOf` must see. */
export const magicLength = 4

const zstdMagic = 0xfd2fb528

/** Null for a log that is not compressed. */
export function compressionOf(start: Buffer): Compression | null {
  if (start.length >= 2 && start.readUInt16BE(0) === 0x1f8b) return 'gzip'
  return start.length >= magicLength && start.readUInt32LE(0) === zstdMagic ? 'zstd' : null
}

/** Large, so that one step on the thread pool is worth its switch of threads. */
const chunkSize = 512 * 1024

/**
 * What the compressed chunks hold. All that can be read is given before the error: input is handed over only when
 * everything from the input before has been taken. Throws INVALID_PARAMETER when the data is damaged or ends too early.
 */
export async function* decompress(
  compression: Compression,
  input: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<Buffer> {
  const stream = compression === 'gzip' ? createGunzip({ chunkSize }) : createZstdDecompress({ chunkSize })
  let failure: Error | null = null
  let wake = (): void => {}
  const changed = (): Promise<void> =>
    new Promise(resolve => {
      wake = resolve
    })
  let taken = false
  let ended = false
  stream.on('error', error => {
    failure = error
    wake()
  })
  stream.on('readable', () => wake())
  stream.on('end', () => {
    ended = true
    wake()
  })

  /** Everything that comes out until `isDone`, in the order in which it comes. */
  async function* output(isDone: () => boolean): AsyncGenerator<Buffer> {
    for (;;) {
      const waiting = changed()
      const chunk: Buffer | null = stream.read()
      if (chunk !== null) yield chunk
      else if (failure !== null) throw damaged(name, failure)
      else if (isDone()) return
      else await waiting
    }
  }

  try {
    for await (const chunk of input) {
      taken = false
      stream.write(chunk, () => {
        taken = true
        wake()
      })
      yield* output(() => taken)
    }
    stream.end()
    yield* output(() => ended)
  } finally {
    stream.destroy()
  }
}

function damaged(name: string, cause: Error & { code?: string }): AppError {
  const what =
    cause.code === 'Z_BUF_ERROR'
      ? `${name} ends in the middle of its compressed data`
      : `${name} holds damaged compressed data (${cause.message})`
  return new AppError(
    'INVALID_PARAMETER',
    `${what}. The lines before are imported; get the whole file and import it again: it goes on where this one ended.`,
    { cause },
  )
}
