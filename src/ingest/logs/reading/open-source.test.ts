/** Logs as they lie on disk or come through a pipe: plain, compressed in one or several pieces, cut off, or damaged. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { temporaryFolder } from '../../../../tests/support/temporary-folder.ts'
import { openLog, storedSize } from './open-source.ts'

const folder = temporaryFolder()
const log = Buffer.from(Array.from({ length: 40_000 }, (_, n) => `line ${n} ${n * 7919}\n`).join(''))
const half = log.length / 2

function file(name: string, bytes: Buffer): string {
  const where = path.join(folder, name)
  writeFileSync(where, bytes)
  return where
}

/** What can be read, and how reading ended. */
async function readAll(
  name: string,
  stdin = Readable.from([]),
): Promise<{ bytes: Buffer; error: string | null }> {
  const { source } = await openLog(name, stdin)
  const parts: Buffer[] = []
  const target = Buffer.alloc(100_000)
  try {
    for (let read = await source.read(target, 7); read > 0; read = await source.read(target, 7)) {
      parts.push(Buffer.from(target.subarray(7, 7 + read)))
    }
    return { bytes: Buffer.concat(parts), error: null }
  } catch (error) {
    return { bytes: Buffer.concat(parts), error: (error as Error).message }
  } finally {
    await source.close()
  }
}

describe('a log is read the same', () => {
  const stored = {
    'as it is': log,
    'from one gzip member': gzipSync(log),
    'from several gzip members': Buffer.concat([
      gzipSync(log.subarray(0, half)),
      gzipSync(log.subarray(half)),
    ]),
    'from gzip with zeros behind it': Buffer.concat([gzipSync(log), Buffer.alloc(512)]),
    'from one Zstandard frame': zstdCompressSync(log),
    'from several Zstandard frames': Buffer.concat([
      zstdCompressSync(log.subarray(0, half)),
      zstdCompressSync(log.subarray(half)),
    ]),
  }
  for (const [how, bytes] of Object.entries(stored)) {
    test(`${how}, by what is in the file and not by its name`, async () => {
      assert.deepEqual(await readAll(file('access.log', bytes)), { bytes: log, error: null })
    })

    test(`${how}, through standard input in small pieces`, async () => {
      const pieces = Readable.from(cut(bytes, 1000), { objectMode: false })
      assert.deepEqual(await readAll('-', pieces), { bytes: log, error: null })
    })
  }

  test('through standard input byte by byte', async () => {
    const few = gzipSync('a\nb\n')
    const { bytes } = await readAll('-', Readable.from(cut(few, 1), { objectMode: false }))
    assert.equal(bytes.toString(), 'a\nb\n')
  })

  test('from a named pipe', async () => {
    const pipe = path.join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const writer = spawn('sh', ['-c', `cat '${file('piped.log', log)}' > '${pipe}'`])
    assert.deepEqual(await readAll(pipe), { bytes: log, error: null })
    assert.equal(writer.exitCode ?? 0, 0)
    assert.equal(await storedSize(file('sized.log', log)), log.length)
  })
})

describe('a compressed log that is cut off or damaged', () => {
  const cutOff = {
    gzip: gzipSync(log),
    'gzip, in its second member': Buffer.concat([gzipSync('first\n'), gzipSync(log)]),
    Zstandard: zstdCompressSync(log),
  }
  for (const [what, bytes] of Object.entries(cutOff)) {
    test(`${what}: everything before the cut is read, then one sentence says what to do`, async () => {
      const { bytes: read, error } = await readAll(file('cut.log', bytes.subarray(0, -8)))
      assert.ok(read.length > log.length * 0.7, `only ${read.length} bytes`)
      assert.match(
        error ?? '',
        /cut\.log ends in the middle of its compressed data\. The lines before are imported/,
      )
    })
  }

  test('gzip cut in its trailer: every byte is read', async () => {
    const { bytes, error } = await readAll(file('cut.log', gzipSync(log).subarray(0, -1)))
    assert.deepEqual(bytes, log)
    assert.match(error ?? '', /ends in the middle/)
  })

  test('gzip with a wrong byte says that it is damaged', async () => {
    const bytes = gzipSync(log)
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 6) ^ 1, bytes.length - 6)
    const { error } = await readAll(file('damaged.log', bytes))
    assert.match(error ?? '', /damaged\.log holds damaged compressed data \(incorrect data check\)/)
  })
})

test('what cannot be read is named, with the reason', async () => {
  mkdirSync(path.join(folder, 'logs'))
  const opening = (name: string) => openLog(path.join(folder, name), Readable.from([]))
  await assert.rejects(opening('missing.log'), {
    code: 'INVALID_PARAMETER',
    message: /missing\.log: there is no such file\./,
  })
  await assert.rejects(opening('logs'), { message: /logs: it is a folder\./ })
  await assert.rejects(storedSize(path.join(folder, 'missing.log')), { message: /no such file/ })
})

test('a plain file can be read from anywhere', async () => {
  const { source, fileId, reopenable } = await openLog(file('plain.log', log), Readable.from([]))
  assert.equal(await source.seekable?.size(), log.length)
  assert.deepEqual(await source.seekable?.bytesAt(100, 50), log.subarray(100, 150))
  assert.deepEqual(await source.seekable?.bytesAt(log.length - 5, 50), log.subarray(-5))
  source.seekable?.seek(log.length - 9)
  const target = Buffer.alloc(20)
  assert.equal(await source.read(target, 0), 9)
  assert.match(fileId ?? '', /^\d+:\d+$/)
  assert.equal(reopenable, true)
  await source.close()
})

function* cut(bytes: Buffer, length: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}
