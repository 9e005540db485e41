/** What depends on how much is stored: the same questions with few and many sites, size on disk, start, and memory. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Bench, type RowBenchmark, withServers } from '../bench.ts'
import type { LoadResult } from '../load.ts'
import { profiles, Questions, stats } from '../questions.ts'
import { ask } from '../requests.ts'
import { figure } from '../result.ts'
import { inTurn, median } from '../rounds.ts'

const connections = 32
const idleMs = 2_000

export const growth: RowBenchmark = {
  rows: [5, 10, 11],
  async run(bench, wanted) {
    // Size first: later rows record more.
    if (wanted.has(10)) await bytesByEvent(bench)
    if (wanted.has(11)) await startAndMemory(bench)
    if (wanted.has(5)) await fewAndMany(bench)
  },
}

async function bytesByEvent(bench: Bench): Promise<void> {
  bench.progress('row 10: bytes on disk')
  const values: number[] = []
  for (const subject of bench.subjects) {
    const { data, events } = await subject.fixture('many')
    values.push(bytesIn(data) / events)
  }
  addFigures(bench, 10, 'bytes on disk by event', 'bytes', values, 110)
}

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

async function startAndMemory(bench: Bench): Promise<void> {
  bench.progress('row 11: start and memory')
  const found: { startMs: number[]; idle: number; busy: number }[] = []
  for (const subject of bench.subjects) {
    const fixture = await subject.fixture('many')
    const questions = new Questions(fixture, stats)
    const startMs: number[] = []
    let [idle, busy] = [0, 0]
    for (let round = 0; round < bench.sizes.rounds; round++) {
      const server = await subject.tree.serve(fixture.data)
      const listeningMs = performance.now()
      await ask(server.port, questions.take(1, profiles[0])[0]!)
      startMs.push(server.startMs + performance.now() - listeningMs)
      if (round === bench.sizes.rounds - 1) {
        await wait(idleMs)
        idle = server.memoryMib()
        await bench.client.load(server, {
          connections,
          seconds: bench.sizes.secondsOfRound * 3,
          requests: questions.take(Math.ceil(bench.sizes.secondsOfRound * 50_000), profiles[1]),
          ends: true,
        })
        busy = server.peakMemoryMib()
      }
      await server.stop()
    }
    found.push({ startMs, idle, busy })
  }
  const values = (of: (each: (typeof found)[number]) => number): number[] => found.map(of)
  addFigures(
    bench,
    11,
    'start to the first answer',
    'ms',
    values(each => median(each.startMs)),
    1_000,
  )
  addFigures(
    bench,
    11,
    'memory, idle',
    'MiB',
    values(each => each.idle),
    120,
  )
  addFigures(
    bench,
    11,
    'memory, the most under new questions',
    'MiB',
    values(each => each.busy),
    350,
  )
}

/** A figure of each tree by itself. */
export function addFigures(
  bench: Bench,
  row: number,
  measure: string,
  unit: string,
  [ours, against = null]: readonly (number | null)[],
  atMost: number,
): void {
  bench.add({
    row,
    measure,
    ours: figure(ours!, unit),
    against: against === null ? null : figure(against, unit),
    yardstick: null,
    score: ours!,
    scoreAgainst: against,
    target: { atMost },
  })
}

/** New questions to a server with few sites are the yardstick of those to one with many. */
const fewAndMany = (bench: Bench): Promise<void> =>
  withServers(bench, 'many', many =>
    withServers(bench, 'few', async few => {
      bench.progress('row 5: many sites against few')
      const seconds = bench.sizes.secondsOfRound
      const sides: Record<string, () => Promise<LoadResult>> = {}
      for (const [name, all] of Object.entries({ many, few })) {
        for (const { subject, fixture, server } of all) {
          const questions = new Questions(fixture, stats)
          sides[`${name} ${subject.label}`] = () => {
            const requests = questions.take(Math.ceil(seconds * 25_000), profiles[0])
            return bench.client.load(server, { connections, seconds, requests, ends: true })
          }
        }
      }
      const results = await inTurn(bench.sizes.rounds, sides)
      const of = (name: string) => {
        const all = results[name]
        if (all === undefined) return null
        const cpu = median(all.map(({ cpuPerRequest }) => cpuPerRequest))
        return figure(median(all.map(({ requestsPerSecond }) => requestsPerSecond)), 'requests/s', cpu)
      }
      const [ours, against, yardstick, other] = [
        of('many ours')!,
        of('many against'),
        of('few ours')!,
        of('few against'),
      ]
      bench.add({
        row: 5,
        measure: `new stats, ${many[0]!.fixture.sites.length} sites against ${few[0]!.fixture.sites.length}`,
        ours,
        against,
        yardstick,
        score: ours.value / yardstick.value,
        scoreAgainst: against && other && against.value / other.value,
        target: { atLeast: 0.8 },
      })
    }),
  )
