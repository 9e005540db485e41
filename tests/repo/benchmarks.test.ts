/** Benchmarks rot unseen, as nobody runs them daily: what they send must still be answered, with something in it. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Benchmark, StoredFixture } from '../../bench/benchmark.ts'
import { breakdowns } from '../../bench/breakdowns.ts'
import { ask, figure } from '../../bench/compare.ts'
import { imports } from '../../bench/import.ts'
import { load, type PreparedRequest, RequestFile } from '../../bench/load.ts'
import { type ServerProcess, startPugmark } from '../../bench/processes.ts'
import { ReadRequests } from '../../bench/read-requests.ts'
import { reads } from '../../bench/reads.ts'
import { batchSize, RecordRequests } from '../../bench/record-requests.ts'
import { recording } from '../../bench/recording.ts'
import { sizeAndStart } from '../../bench/size-and-start.ts'
import { storedFixture } from '../../bench/store-fixture.ts'
import { type Results, withFigures } from '../../bench/table.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { read, root } from './source-tree.ts'

/** Parts of the answers that are looked at; each answer has some. */
interface Answer {
  readonly totals: { readonly bot_visits: number }
  readonly data: readonly object[]
  readonly events: readonly { readonly type: string }[]
  readonly received: number
  readonly recorded: number | { readonly bot: number; readonly referral: number }
}

const hasWrk = spawnSync('wrk', ['-v']).error === undefined

describe('what the benchmarks send to a server with their traffic', () => {
  let fixture: StoredFixture
  let server: ServerProcess
  let asks: ReadRequests

  before(async () => {
    fixture = await storedFixture(temporaryFolder(), 10_000, () => {})
    server = await startPugmark(fixture.data)
    asks = new ReadRequests(fixture)
  })
  after(() => server?.stop())

  /** The first answers to requests of a kind. */
  async function answers(requests: readonly PreparedRequest[], count = 3): Promise<Answer[]> {
    const found: Answer[] = []
    for (const request of requests.slice(0, count))
      found.push(JSON.parse((await ask(server.url, request)).body))
    return found
  }

  test('has stats with counts in them', async () => {
    const found = await answers([...asks.sameStats(), ...asks.randomStats().slice(0, 20)], 21)
    assert.ok(found.filter(({ totals }) => totals.bot_visits > 0).length > 10)
  })

  test('has 30 points a series by day and 720 by hour', async () => {
    for (const { data } of await answers(asks.series('day'))) assert.equal(data.length, 30)
    for (const { data } of await answers(asks.series('hour'))) assert.equal(data.length, 720)
  })

  test('has events on most pages', async () => {
    const pages = await answers(asks.events(null), 20)
    assert.ok(pages.filter(({ events }) => events.length > 0).length > 10)
    const conversions = await answers(asks.events('conversion'), 20)
    assert.ok(conversions.flatMap(({ events }) => events).every(event => event.type === 'conversion'))
  })

  test('is recorded to the last event and hit', async () => {
    const make = new RecordRequests(fixture, Date.now())
    assert.deepEqual(await answers(make.eventBatches(), 1), [{ recorded: batchSize }])
    assert.deepEqual(await answers(make.singleEvents(), 1), [{ recorded: 1 }])
    const [hits] = await answers(make.hitBatches(), 1)
    assert.equal(hits!.received, batchSize)
    const { bot, referral } = hits!.recorded as { bot: number; referral: number }
    assert.ok(bot > 0 && referral > 0 && bot + referral === batchSize)
  })

  test('goes over the wire as the load generator reads it', {
    skip: !hasWrk && 'wrk is not installed',
  }, async () => {
    const requests = new RequestFile(asks.randomStats().slice(0, 100))
    const result = await load({ url: server.url, connections: 2, seconds: 1, requests })
    requests.remove()
    assert.ok(result.requests > 0 && result.bytesPerRequest > 500 && result.p99 > 0)
  })
})

test('the bare loop of inserts tells how many rows a second it wrote', () => {
  const file = path.join(temporaryFolder(), 'bare.db')
  const printed = execFileSync(process.execPath, ['bench/bare-inserts.ts', file, '0.1'], { cwd: root })
  assert.ok(Number(printed) > 0)
})

test('a median of an even number of rounds lies between the two in the middle', () => {
  assert.deepEqual(figure([4, 1, 10, 2]), { median: 3, lowest: 1, highest: 10 })
  assert.deepEqual(figure([5, 1, 3]), { median: 3, lowest: 1, highest: 5 })
})

test('every row of docs/performance.md has a benchmark', () => {
  const all: readonly Benchmark[] = [...reads, ...recording, ...imports, ...sizeAndStart, ...breakdowns]
  assert.deepEqual(
    [...new Set(all.map(({ row }) => row))],
    Array.from({ length: 13 }, (_, i) => i + 1),
  )
})

test('figures replace those of the run before in docs/performance.md, and nothing else', () => {
  const page = read('docs/performance.md')
  const ours = { median: 2, lowest: 1, highest: 3 }
  const results: Results = {
    date: '2026-01-31T00:00:00Z',
    commit: 'abc',
    command: 'npm run bench',
    machine: 'any',
    loadBefore: 0,
    node: '26',
    loadGenerator: 'wrk',
    events: 20_000_000,
    rounds: 5,
    secondsOfRound: 3,
    rows: [
      {
        row: 10,
        measure: 'size',
        unit: 'bytes',
        ours,
        yardstick: null,
        score: 2,
        target: { atMost: 45 },
        reached: true,
      },
      { row: 9, measure: 'import', notMeasured: 'goaccess is not installed' },
    ],
  }
  const written = withFigures(page, results)
  assert.match(written, /\| 10 \| size \| 2 \(1 to 3\) bytes \| {2}\| 2 bytes \| ≤ 45 reached \| {2}\|\n/)
  assert.match(written, /\| 9 \| import \| not measured: goaccess is not installed \|/)
  assert.equal(withFigures(written, results), written)
  const prose = (text: string) => text.replace(/<!-- figures.*?<!-- end of figures -->/s, '')
  assert.equal(prose(written), prose(page))
})
