/** Rows 10 to 12: bytes on disk, time to the first answer, memory, and a series of 100 years streamed beside other questions. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, type Benchmark, judge, type Row, type StoredFixture } from './benchmark.ts'
import { ask, figure } from './compare.ts'
import { type LoadResult, load, RequestFile } from './load.ts'
import { type ServerProcess, startPugmark } from './processes.ts'
import { ReadRequests } from './read-requests.ts'
import { connections } from './reads.ts'

export const sizeAndStart: readonly Benchmark[] = [
  { row: 10, about: 'bytes on disk', run: measureSize },
  { row: 11, about: 'start and memory', run: measureStart },
  { row: 12, about: 'a series of 100 years by hour', run: measureLongSeries },
]

async function measureSize({ large, copyOf }: Bench): Promise<Row[]> {
  const fixture = copyOf(await large())
  // As a user leaves it: written in full, opened by a server, and asked.
  const server = await startPugmark(fixture.data)
  await askFirst(server, fixture)
  await server.stop()
  const files = readdirSync(fixture.data).filter(name => name !== 'fixture.json')
  const bytes = files.reduce((sum, name) => sum + statSync(join(fixture.data, name)).size, 0)
  const each = figure([bytes / fixture.events])
  return [
    judge({
      row: 10,
      measure: 'bytes on disk by event, everything included',
      unit: 'bytes',
      ours: each,
      yardstick: null,
      score: each.median,
      target: { atMost: 45 },
    }),
  ]
}

/** Time in which a server that is not asked settles. */
const idleMs = 2_000

async function measureStart(bench: Bench): Promise<Row[]> {
  const fixture = await bench.large()
  const startsMs: number[] = []
  const idle: number[] = []
  for (let round = 0; round < bench.rounds; round++) {
    const before = performance.now()
    const server = await startPugmark(fixture.data)
    await askFirst(server, fixture)
    startsMs.push(performance.now() - before)
    await sleep(idleMs)
    idle.push(server.memoryMib())
    await server.stop()
  }
  const busy = await memoryUnderReads(bench, fixture)
  const bound = (measure: string, unit: string, values: number[], atMost: number): Row => {
    const ours = figure(values)
    return judge({ row: 11, measure, unit, ours, yardstick: null, score: ours.median, target: { atMost } })
  }
  return [
    bound('time from start to the first answer', 'ms', startsMs, 1_000),
    bound('memory, idle', 'MiB', idle, 120),
    bound('memory, the most under row 2', 'MiB', [busy], 400),
  ]
}

async function memoryUnderReads({ rounds, seconds }: Bench, fixture: StoredFixture): Promise<number> {
  const server = await startPugmark(fixture.data)
  const requests = new RequestFile(new ReadRequests(fixture).randomStats())
  try {
    // Further threads get a part of the connections that are made after their start.
    for (let round = 0; round < rounds; round++)
      await load({ url: server.url, connections, seconds, requests })
    return server.peakMemoryMib()
  } finally {
    requests.remove()
    await server.stop()
  }
}

async function askFirst(server: ServerProcess, fixture: StoredFixture): Promise<void> {
  await ask(server.url, new ReadRequests(fixture).sameStats()[0]!)
}

const longSeries = { granularity: 'hour', start: '1970-01-01', end: '2069-12-31' }
/** 100 years from 1970 on have 25 leap days: 1972, 1976 … 2068. */
const hoursOfLongSeries = (100 * 365 + 25) * 24

async function measureLongSeries(bench: Bench): Promise<Row[]> {
  const fixture = await bench.large()
  const server = await startPugmark(fixture.data)
  const requests = new RequestFile(new ReadRequests(fixture).randomStats())
  const askStats = (connections: number) =>
    load({ url: server.url, connections, seconds: bench.seconds, requests })
  try {
    // Memory is that of a server of which all threads have been in use, so that what grows is due to the series.
    for (let warm = 0; warm < 2; warm++) await askStats(connections)
    const growth: number[] = []
    const meanwhile: LoadResult[] = []
    let series = 0
    for (let round = 0; round < bench.rounds; round++) {
      const before = server.memoryMib()
      let most = before
      let isAsking = true
      const streaming = (async () => {
        do {
          await readLongSeries(server, fixture, () => {
            most = Math.max(most, server.memoryMib())
          })
          series++
        } while (isAsking)
      })()
      meanwhile.push(await askStats(1))
      isAsking = false
      await streaming
      growth.push(most - before)
    }
    return longSeriesRows(growth, meanwhile, series)
  } finally {
    requests.remove()
    await server.stop()
  }
}

function longSeriesRows(growth: readonly number[], meanwhile: readonly LoadResult[], series: number): Row[] {
  const p99 = figure(meanwhile.map(result => result.p99))
  const grown = figure(growth)
  return [
    judge({
      row: 12,
      measure: `growth of memory by a series of 100 years by hour, streamed`,
      unit: 'MiB',
      ours: grown,
      yardstick: null,
      score: grown.highest,
      target: { atMost: 50 },
      note: `${hoursOfLongSeries.toLocaleString('en')} points, ${series} times`,
    }),
    judge({
      row: 12,
      measure: 'p99 of the stats that another client asks meanwhile',
      unit: 'ms',
      ours: p99,
      yardstick: null,
      score: p99.median,
      target: { atMost: 50 },
      note: `${Math.round(figure(meanwhile.map(result => result.requestsPerSecond)).median)} a second`,
    }),
  ]
}

const memoryLookMs = 50

/** Reads the series as it comes, and throws when a point is missing. */
async function readLongSeries(
  server: ServerProcess,
  fixture: StoredFixture,
  look: () => void,
): Promise<void> {
  const path = `/api/v1/sites/${fixture.siteIds[1]}/timeseries?${new URLSearchParams(longSeries)}`
  const response = await fetch(server.url + path, {
    headers: { Authorization: `Bearer ${fixture.key}`, 'accept-encoding': 'identity' },
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  let points = 0
  let lookedMs = 0
  for await (const part of response.body!) {
    points += countOf(openingBrace, part)
    if (performance.now() - lookedMs < memoryLookMs) continue
    look()
    lookedMs = performance.now()
  }
  // The answer itself and its period are objects, too.
  if (points < hoursOfLongSeries || points > hoursOfLongSeries + 3) {
    throw new Error(`the series has ${points} points instead of ${hoursOfLongSeries}`)
  }
}

const openingBrace = '{'.charCodeAt(0)

function countOf(byte: number, bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, at + 1)) count++
  return count
}
