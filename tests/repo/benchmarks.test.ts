/** Benchmarks rot unseen, as nobody runs them daily: each row must still be measured, if only at a tiny size. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { AnswerReader } from '../../bench/answer-reader.ts'
import { median } from '../../bench/rounds.ts'
import { type Line, withFigures } from '../../bench/table.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { read, root } from './source-tree.ts'

const run = promisify(execFile)

test('every row of the table is measured, whatever its figure', async () => {
  const file = path.join(temporaryFolder(), 'results.json')
  const sizes = ['--scale', '0.0001', '--rounds', '1', '--seconds', '0.05']
  await run(process.execPath, ['bench/run.ts', ...sizes, '--json', file], { cwd: root, maxBuffer: 2 ** 24 })
  const { lines } = JSON.parse(readFileSync(file, 'utf8')) as { lines: readonly Line[] }
  assert.deepEqual(
    [...new Set(lines.map(({ row }) => row))],
    Array.from({ length: 13 }, (_, i) => i + 1),
  )
  for (const line of lines) {
    if (!('reason' in line)) assert.ok(Number.isFinite(line.score), `${line.measure}: ${line.score}`)
  }
})

test('answers are counted however the connection cuts them', () => {
  const wire = Buffer.from(
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello' +
      'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n' +
      'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n',
  )
  for (let size = 1; size <= wire.length; size++) {
    const statuses: number[] = []
    let bytes = 0
    const reader = new AnswerReader({
      onAnswer(status, answerBytes) {
        statuses.push(status)
        bytes += answerBytes
      },
    })
    for (let at = 0; at < wire.length; at += size) reader.push(wire.subarray(at, at + size))
    assert.deepEqual(statuses, [200, 201, 404])
    assert.equal(bytes, wire.length)
  }
})

test('a median of an even number of rounds lies between the two in the middle', () => {
  assert.equal(median([4, 1, 10, 2]), 3)
  assert.equal(median([5, 1, 3]), 3)
})

test('figures replace those of the run before in docs/performance.md, and nothing else', () => {
  const page = read('docs/performance.md')
  const figure = { value: 1_234, unit: 'requests/s', cpu: 20.4 }
  const lines: readonly Line[] = [
    {
      row: 1,
      measure: 'stats',
      ours: figure,
      against: null,
      yardstick: { ...figure, cpu: 10.2 },
      score: 0.5,
      scoreAgainst: null,
      target: { atLeast: 0.6 },
    },
    { row: 9, measure: 'import', reason: 'goaccess is not installed' },
  ]
  const written = withFigures(page, 'Today.', lines)
  assert.match(
    written,
    /\| 1 \| stats \| 1,234 requests\/s, 20\.4 µs CPU \| {2}\| .*10\.2 µs CPU \| 0\.5 \| ≥ 0\.6 \| no \|\n/,
  )
  assert.match(written, /\| 9 \| import \| not measured: goaccess is not installed \|/)
  assert.equal(withFigures(written, 'Today.', lines), written)
  const prose = (text: string) => text.replace(/<!-- figures.*?<!-- end of figures -->/s, '')
  assert.equal(prose(written), prose(page))
})
