/** Decompresses the body of a delivery within a size limit, so that a small body cannot become a huge one. */
import { setImmediate } from 'node:timers/promises'
import { AppError } from '../../domain/errors.ts'
import { compressionOf, decompress } from '../logs/reading/decompress.ts'

/** Of a body as it is sent, and of what it is decompressed to. */
export const drainBytesMax = 64 * 2 ** 20

/** Of a delivery. Entries that say nothing are short, so that a few kilobytes can hold millions of them. */
export const drainEntriesMax = 1_000_000

/** Small enough that other requests are answered between two chunks. */
const chunkLength = 256 * 1024

/**
 * Compression is recognised by the first bytes, whatever the headers say.
 * Throws INVALID_PARAMETER for damaged compressed data, PAYLOAD_TOO_LARGE.
 */
export async function* decompressed(body: Buffer): AsyncGenerator<Buffer> {
  const compression = compressionOf(body)
  if (compression === null) {
    yield* chunksOf(body)
    return
  }
  let length = 0
  try {
    for await (const chunk of decompress(compression, chunksOf(body), 'The body')) {
      length += chunk.length
      if (length > drainBytesMax) throw tooLarge('decompressed')
      yield chunk
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'INVALID_PARAMETER') throw error
    throw new AppError('INVALID_PARAMETER', 'The body holds damaged compressed data. Nothing was recorded.', {
      cause: error,
    })
  }
}

async function* chunksOf(body: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += chunkLength) {
    if (at > 0) await setImmediate()
    yield body.subarray(at, at + chunkLength)
  }
}

export const tooLarge = (how: 'sent' | 'decompressed'): AppError =>
  new AppError(
    'PAYLOAD_TOO_LARGE',
    `The body has more than ${drainBytesMax / 2 ** 20} MiB as ${how}. Nothing was recorded; send smaller batches.`,
  )

export const tooManyEntries = (): AppError =>
  new AppError(
    'PAYLOAD_TOO_LARGE',
    `The body has more than ${drainEntriesMax} entries. Nothing was recorded; send smaller batches.`,
  )
