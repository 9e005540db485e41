/** Opens a log by its name: a plain or compressed file, a pipe, or `-` for standard input. */
import { type FileHandle, open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { AppError } from '../../../domain/errors.ts'
import type { ByteSource } from './byte-source.ts'
import { chunkSource } from './chunk-source.ts'
import { compressionOf, decompress, magicLength } from './decompress.ts'
import { plainFile } from './plain-file.ts'

export const standardInput = '-'

export interface OpenedLog {
  readonly source: ByteSource
  /** Which file this is, however it is called later; null for what is no file. */
  readonly fileId: string | null
  /** Whether the same bytes can be opened once more. */
  readonly reopenable: boolean
}

/** Throws INVALID_PARAMETER when it cannot be read. */
export async function openLog(name: string, stdin: Readable): Promise<OpenedLog> {
  if (name === standardInput) {
    return { source: await streamed('standard input', stdin), fileId: null, reopenable: false }
  }
  const handle = await openFile(name)
  try {
    const stats = await handle.stat()
    if (stats.isDirectory()) throw unreadable(name, 'it is a folder')
    if (!stats.isFile()) {
      return { source: await streamed(name, handle.createReadStream()), fileId: null, reopenable: false }
    }
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(magicLength), 0, magicLength, 0)
    const plain = compressionOf(buffer.subarray(0, bytesRead)) === null
    const source = plain
      ? plainFile(handle)
      : await streamed(name, handle.createReadStream({ start: 0, highWaterMark: readAheadBytes }))
    return { source, fileId: fileId(stats), reopenable: true }
  } catch (error) {
    await handle.close()
    throw error
  }
}

const readAheadBytes = 64 * 1024

async function openFile(name: string): Promise<FileHandle> {
  try {
    return await open(name)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason =
      code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'permission denied' : message
    throw unreadable(name, reason, error)
  }
}

/** Whether opening failed only because there is no such file, which may come. */
export const isMissing = (error: unknown): boolean =>
  error instanceof AppError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT'

/** Bytes of the file as it is stored; null for what is no file. Throws INVALID_PARAMETER when it cannot be read. */
export async function storedSize(name: string): Promise<number | null> {
  const handle = await openFile(name)
  try {
    const stats = await handle.stat()
    return stats.isFile() ? stats.size : null
  } finally {
    await handle.close()
  }
}

/** A file keeps its number when it is renamed, and a new one gets another. */
export const fileId = (stats: { dev: number; ino: number }): string => `${stats.dev}:${stats.ino}`

async function streamed(name: string, stream: Readable): Promise<ByteSource> {
  let storedBytes = 0
  const input = chunksOf(stream, bytes => {
    storedBytes += bytes
  })
  const start = await firstBytes(input)
  const compression = compressionOf(start)
  const whole = withStart(start, input)
  return chunkSource({
    chunks: compression === null ? whole : decompress(compression, whole, name),
    storedBytes: () => storedBytes,
    async close() {
      stream.destroy()
    },
  })
}

async function* chunksOf(stream: Readable, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    onBytes(chunk.length)
    yield chunk
  }
}

/** Enough to see the compression; a pipe may give them one by one. */
async function firstBytes(input: AsyncGenerator<Buffer>): Promise<Buffer> {
  let start: Buffer = Buffer.alloc(0)
  while (start.length < magicLength) {
    const next = await input.next()
    if (next.done) break
    start = Buffer.concat([start, next.value])
  }
  return start
}

async function* withStart(start: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (start.length > 0) yield start
  yield* rest
}

const unreadable = (name: string, reason: string, cause?: unknown): AppError =>
  new AppError('INVALID_PARAMETER', `Cannot read ${name}: ${reason}.`, { cause })
