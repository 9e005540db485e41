/** Lines out of bytes that come in any pieces, and the fingerprint of every position between them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { ByteSource } from './byte-source.ts'
import { chunkSource } from './chunk-source.ts'
import { fingerprintHash, fingerprintLength, LineReader, lineLengthMax } from './line-reader.ts'

const kib = 1024

function sourceOf(log: Buffer, pieceLength: number): ByteSource {
  const pieces = function* (): Generator<Buffer> {
    for (let at = 0; at < log.length; at += pieceLength) yield log.subarray(at, at + pieceLength)
  }
  return chunkSource({
    chunks: (async function* () {
      yield* pieces()
    })(),
    storedBytes: () => 0,
    async close() {},
  })
}

const readerOf = (log: string | Buffer, pieceLength = 64 * kib): LineReader =>
  new LineReader(sourceOf(Buffer.from(log), pieceLength))

/** Everything until the end; the unfinished line, if there is one, comes last with a `…`. */
async function readAll(reader: LineReader, onLine = (): void => {}): Promise<string[]> {
  const lines: string[] = []
  do {
    for (let found = reader.next(); found !== 'needs-more'; found = reader.next()) {
      lines.push(found === 'line' ? reader.decoded : 'too long')
      onLine()
    }
    reader.readAhead()
  } while (await reader.fill())
  return reader.showUnfinished() ? [...lines, `${reader.decoded}…`] : lines
}

describe('lines', () => {
  test('come out the same however the bytes come in', async () => {
    const ends = fc.constantFrom('\n', '\r\n')
    const text = fc.oneof(fc.string({ maxLength: 40 }), fc.constantFrom('', 'ü€😀', 'x'.repeat(2000)))
    const line = fc.tuple(
      text.map(body => body.replace(/[\r\n]/g, '')),
      ends,
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 30 }),
        text,
        fc.integer({ min: 1, max: 3000 }),
        async (lines, last, piece) => {
          const unfinished = last.replace(/[\r\n]/g, '')
          const log = lines.map(([body, end]) => body + end).join('') + unfinished
          const expected = [...lines.map(([body]) => body), ...(unfinished === '' ? [] : [`${unfinished}…`])]
          assert.deepEqual(await readAll(readerOf(log, piece)), expected)
        },
      ),
    )
  })

  test('bytes that are no UTF-8 are replaced, and a byte order mark is no part of the first line', async () => {
    const log = Buffer.concat([
      Buffer.from('\ufefffirst\n'),
      Buffer.from([0xff, 0x41, 10]),
      Buffer.from('ü\n'),
    ])
    assert.deepEqual(await readAll(readerOf(log)), ['first', '\ufffdA', 'ü'])
  })

  test('one of 64 KiB is a line, a longer one is given up and nothing after it is lost', async () => {
    const longest = 'x'.repeat(lineLengthMax)
    for (const piece of [7 * kib, 64 * kib, 2048 * kib]) {
      const log = `a\n${longest}\nb\n${longest}x\nc\n${'y'.repeat(3000 * kib)}\nd\n`
      assert.deepEqual(await readAll(readerOf(log, piece)), [
        'a',
        longest,
        'b',
        'too long',
        'c',
        'too long',
        'd',
      ])
    }
  })

  test('a log of megabytes without any end of line is one line that is too long', async () => {
    const reader = readerOf('z'.repeat(5000 * kib))
    assert.deepEqual(await readAll(reader), ['too long'])
    assert.equal(reader.offset, 5000 * kib)
  })

  test('an empty log has none', async () => {
    const reader = readerOf('')
    assert.deepEqual(await readAll(reader), [])
    assert.equal(reader.offset, 0)
  })

  test('more can come after the end, and completes an unfinished line', async () => {
    const chunks = ['a\nb', '', 'c\nd\n']
    const source: ByteSource = {
      read: async (target, at) => target.write(chunks.shift() ?? '', at),
      storedBytes: 0,
      seekable: null,
      async close() {},
    }
    const reader = new LineReader(source)
    assert.deepEqual(await readAll(reader), ['a', 'b…'])
    assert.deepEqual(await readAll(reader), ['bc', 'd'])
  })

  test('an unfinished line that was dealt with is passed over to its end', async () => {
    const chunks = ['a\nb', '', 'c\nd\n']
    const reader = new LineReader({
      read: async (target, at) => target.write(chunks.shift() ?? '', at),
      storedBytes: 0,
      seekable: null,
      async close() {},
    })
    await readAll(reader)
    reader.passOverUnfinished()
    assert.equal(reader.offset, 3)
    assert.deepEqual(await readAll(reader), ['d'])
  })
})

describe('positions', () => {
  const log = Buffer.from(
    Array.from({ length: 9000 }, (_, n) => `line ${n} ${'x'.repeat((n * 7919) % 97)}\n`).join(''),
  )

  test('every fingerprint is that of the bytes before and of the first bytes', async () => {
    const reader = readerOf(log, 100_000)
    let checked = 0
    await readAll(reader, () => {
      if (checked++ % 50 !== 0) return
      const { offset, headLength, headHash, windowLength, windowHash } = reader.fingerprint()
      assert.equal(log[offset - 1], 10)
      assert.equal(headLength, Math.min(offset, fingerprintLength))
      assert.equal(windowLength, headLength)
      assert.equal(headHash, fingerprintHash(log.subarray(0, headLength)))
      assert.equal(windowHash, fingerprintHash(log.subarray(offset - windowLength, offset)))
    })
    assert.equal(checked, 9000)
    assert.equal(reader.offset, log.length)
  })

  test('a reader that begins in the middle gives the same lines and fingerprints as one that read up to there', async () => {
    const whole = readerOf(log)
    const lines = await readAll(whole)
    for (const wanted of [1, 40, 3000, 8999]) {
      const offset = ends(log)[wanted - 1]!
      const middle = new LineReader(sourceOf(log.subarray(offset), 100_000), {
        offset,
        head: log.subarray(0, fingerprintLength),
        before: log.subarray(Math.max(0, offset - fingerprintLength), offset),
      })
      assert.equal(middle.fingerprint().windowHash, windowAt(offset))
      assert.deepEqual(await readAll(middle), lines.slice(wanted))
      assert.deepEqual(middle.fingerprint(), whole.fingerprint())
    }
  })

  test('going forward gives the lines from there on, the rest of a cut line aside', async () => {
    const lines = await readAll(readerOf(log))
    const reader = readerOf(log, 5000)
    const offset = ends(log)[6000]!
    assert.equal(await reader.skipTo(offset - 3), true)
    assert.equal(reader.windowHash(fingerprintLength), windowAt(offset - 3))
    assert.deepEqual(await readAll(reader), lines.slice(6001))
    assert.equal(await readerOf(log).skipTo(log.length), true)
    assert.equal(await readerOf(log).skipTo(log.length + 1), false)
  })

  const windowAt = (offset: number): string =>
    fingerprintHash(log.subarray(Math.max(0, offset - fingerprintLength), offset))
})

/** The offset behind each line. */
function ends(log: Buffer): number[] {
  const found: number[] = []
  for (let at = log.indexOf(10); at !== -1; at = log.indexOf(10, at + 1)) found.push(at + 1)
  return found
}
