/** Recording of batches and of single events, durable when acknowledged, and reading meanwhile. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, benchProgram, type RowBenchmark, type Running, withServers } from '../bench.ts'
import { type Chance, createChance, pagesOf } from '../chance.ts'
import { compare, rateOf } from '../compare.ts'
import type { Fixture } from '../fixture.ts'
import { LoadClient } from '../load.ts'
import { runToEnd } from '../processes.ts'
import { profiles, Questions, stats } from '../questions.ts'
import type { PreparedRequest } from '../requests.ts'
import { figure } from '../result.ts'
import { median } from '../rounds.ts'
import { hit, post, randomEvent, timeOfSending } from '../sent.ts'
import { realRows, traffic } from '../traffic.ts'
import { bareParsing } from '../yardstick.ts'

const batchSize = 1_000
/** Different batches; each is sent with a key of its own and the time of sending. */
const batchCount = 60
const batchConnections = 4
const singleConnections = 64
const readConnections = 8

export const recording: RowBenchmark = {
  rows: [6, 7, 8],
  run: (bench, wanted) =>
    withServers(bench, 'many', async running => {
      if (wanted.has(6)) {
        await batchesOfEvents(bench, running)
        await batchesOfHits(bench, running)
      }
      if (wanted.has(7)) await singleEvents(bench, running)
      if (wanted.has(8)) await readsMeanwhile(bench, running)
    }),
}

const eventOf = (chance: Chance, { shape }: Fixture): object =>
  randomEvent(chance, shape.pages ?? pagesOf(shape.eventsPerSite), timeOfSending(chance))

function eventBatches(fixture: Fixture, count = batchCount): PreparedRequest[] {
  const chance = createChance(21)
  return Array.from({ length: count }, () =>
    post(
      chance.pick(fixture.sites),
      'events',
      Array.from({ length: batchSize }, () => eventOf(chance, fixture)),
    ),
  )
}

function hitBatches(fixture: Fixture): PreparedRequest[] {
  const chance = createChance(22)
  const shape = { visits: batchCount * batchSize, startMs: fixture.startMs, days: 1, seed: 23 }
  const visits = traffic(realRows(), shape)
  return Array.from({ length: batchCount }, () => {
    const site = chance.pick(fixture.sites)
    const hits = Array.from({ length: batchSize }, () =>
      hit(visits.next().value!, site.domain, timeOfSending(chance)),
    )
    return post(site, 'hits', hits)
  })
}

async function batchesOfEvents(bench: Bench, running: readonly Running[]): Promise<void> {
  const asked = running.map(({ fixture }) => eventBatches(fixture))
  await compare(
    bench,
    {
      row: 6,
      measure: 'batches of 1,000 events (bare inserts)',
      target: { atLeast: 0.35 },
      by: 'rate',
      unit: 'events/s',
      perRequest: batchSize,
    },
    running,
    side => loadWith(bench, side, batchConnections, asked[running.indexOf(side)]!),
    async () => {
      const file = join(bench.folder, 'bare.db')
      const seconds = String(bench.sizes.secondsOfRound)
      const { output } = await runToEnd(benchProgram('bare-inserts.ts', file, seconds))
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
      return { rate: Number(output), cpu: null }
    },
  )
}

const batchesOfHits = (bench: Bench, running: readonly Running[]): Promise<void> =>
  againstParser(
    bench,
    running,
    batchConnections,
    running.map(({ fixture }) => hitBatches(fixture)),
    {
      row: 6,
      measure: 'batches of 1,000 real hits (bare parser)',
      target: { atLeast: 0.4 },
      unit: 'hits/s',
      perRequest: batchSize,
    },
  )

function singleEvents(bench: Bench, running: readonly Running[]): Promise<void> {
  const asked = running.map(({ fixture }) => {
    const chance = createChance(24)
    return Array.from({ length: 2_000 }, () =>
      post(chance.pick(fixture.sites), 'events', eventOf(chance, fixture)),
    )
  })
  return againstParser(bench, running, singleConnections, asked, {
    row: 7,
    measure: 'single events (bare parser)',
    target: { atLeast: 0.2 },
    unit: 'events/s',
    perRequest: 1,
  })
}

async function againstParser(
  bench: Bench,
  running: readonly Running[],
  connections: number,
  asked: readonly PreparedRequest[][],
  line: Omit<Parameters<typeof compare>[1], 'by'> & { readonly perRequest: number },
): Promise<void> {
  const bare = await bareParsing(bench, running[0]!.server, asked[0]![0]!)
  try {
    await compare(
      bench,
      { ...line, by: 'rate' },
      running,
      side => loadWith(bench, side, connections, asked[running.indexOf(side)]!),
      async () =>
        rateOf(
          await bench.client.load(bare, {
            connections,
            seconds: bench.sizes.secondsOfRound,
            requests: asked[0]!,
            ends: false,
          }),
          line.perRequest,
        ),
    )
  } finally {
    await bare.stop()
  }
}

const loadWith = (
  bench: Bench,
  { server }: Running,
  connections: number,
  requests: readonly PreparedRequest[],
): ReturnType<LoadClient['load']> =>
  bench.client.load(server, { connections, seconds: bench.sizes.secondsOfRound, requests, ends: false })

/** Latencies of reads while batches of events and hits are recorded as fast as they can be. */
async function readsMeanwhile(bench: Bench, running: readonly Running[]): Promise<void> {
  bench.progress('row 8: reads while batches are recorded')
  const writer = new LoadClient()
  const seconds = bench.sizes.secondsOfRound
  const found = running.map(() => ({ p99: [] as number[], max: [] as number[] }))
  try {
    for (let round = 0; round < bench.sizes.rounds; round++) {
      for (const [i, side] of running.entries()) {
        const batches = [...eventBatches(side.fixture, 10), ...hitBatches(side.fixture).slice(0, 30)]
        const reads = new Questions(side.fixture, stats).take(2_000, profiles[1])
        const [, read] = await Promise.all([
          writer.load(side.server, {
            connections: batchConnections,
            seconds,
            requests: batches,
            ends: false,
          }),
          bench.client.load(side.server, {
            connections: readConnections,
            seconds,
            requests: reads,
            ends: false,
          }),
        ])
        found[i]!.p99.push(read.p99)
        found[i]!.max.push(read.max)
      }
    }
  } finally {
    writer.end()
  }
  const line = (measure: string, values: readonly number[], atMost: number): void => {
    const [ours, against = null] = values
    bench.add({
      row: 8,
      measure,
      ours: figure(ours!, 'ms'),
      against: against === null ? null : figure(against, 'ms'),
      yardstick: null,
      score: ours!,
      scoreAgainst: against,
      target: { atMost },
    })
  }
  line(
    'p99 of reads while batches are recorded',
    found.map(({ p99 }) => median(p99)),
    50,
  )
  line(
    'the slowest of these reads',
    found.map(({ max }) => Math.max(...max)),
    250,
  )
}
