/** The progress of an import must be readable on a terminal and in a log. */
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { describe, test } from 'node:test'
import { formatDuration, openProgress, type ProgressStream } from './progress.ts'

/** A stream that can be asked what was written to it. */
function screen(isTTY: boolean): ProgressStream & { written(): string } {
  const stream = new PassThrough({ encoding: 'utf8' })
  return Object.assign(stream, { isTTY, written: () => String(stream.read() ?? '') })
}

const progress = (seconds: number, bytesTotal: number | null = 4_000_000) => ({
  name: 'access.log',
  bytes: 1_000_000,
  bytesTotal,
  lines: 50_000,
  seconds,
})

describe('progress', () => {
  test('without a terminal is a plain line every few seconds', () => {
    const stream = screen(false)
    const output = openProgress(stream)
    for (const seconds of [0, 1, 4.9]) output.advance(progress(seconds))
    assert.equal(stream.written(), '')
    for (const seconds of [5, 6, 9]) output.advance(progress(seconds))
    assert.equal(
      stream.written(),
      'access.log, 25%, 1.0 MB of 4.0 MB, 50,000 lines, 10,000 lines/s, 15 s left\n',
    )
    output.advance(progress(10, null))
    assert.equal(stream.written(), 'access.log, 1.0 MB, 50,000 lines, 5,000 lines/s\n')
    output.end()
    assert.equal(stream.written(), '')
  })

  test('on a terminal is a bar with bytes, speed and time left, which disappears at the end', context => {
    const stream = screen(true)
    const output = openProgress(stream)
    context.after(() => output.end())
    output.advance(progress(10))
    assert.match(stream.written(), /█{8}░{22} 25% 1\.0 MB of 4\.0 MB 5,000 lines\/s 30 s left/)
    output.note('line 7 is malformed')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what clears a line
    assert.match(stream.written(), /\r\u001b\[Kline 7 is malformed\n/)
  })

  test('of a pipe has no known end, so it is lines even on a terminal', () => {
    const stream = screen(true)
    const output = openProgress(stream)
    output.advance(progress(10, null))
    assert.equal(stream.written(), 'access.log, 1.0 MB, 50,000 lines, 5,000 lines/s\n')
    output.end()
  })

  test('a log that has grown since it was measured shows 100%, and so does an empty one', () => {
    const stream = screen(false)
    const output = openProgress(stream)
    output.advance(progress(5, 500_000))
    output.advance({ ...progress(10, 0), bytes: 0 })
    assert.match(stream.written(), /100%, 1\.0 MB of 500 KB, .*, 0 s left\n.*100%, 0 B of 0 B, /)
  })

  test('durations are read at a glance', () => {
    assert.deepEqual([0.2, 59, 61, 3723].map(formatDuration), ['1 s', '59 s', '1:01', '1:02:03'])
  })
})
