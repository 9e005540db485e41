/** Questions to a server with many sites: repeated ones, new ones, series and pages of events, as each kind of client asks. */
import { type Bench, type RowBenchmark, type Running, withServers } from '../bench.ts'
import { compare, rateOf } from '../compare.ts'
import type { LoadResult } from '../load.ts'
import type { ServerProcess } from '../processes.ts'
import {
  anyRange,
  eventsPage,
  type Profile,
  profiles,
  type Question,
  Questions,
  series,
  stats,
} from '../questions.ts'
import type { PreparedRequest } from '../requests.ts'
import { figure, type Target } from '../result.ts'
import { get } from '../sent.ts'
import { bareAnswering, type Compression } from '../yardstick.ts'

interface ReadRow {
  readonly row: number
  readonly measure: string
  readonly question: Question | 'the same'
  readonly compression: Compression
  readonly target: (profile: Profile) => Target
}

const atLeast =
  (ratio: number, compressed = ratio) =>
  ({ accepts }: Profile): Target => ({ atLeast: accepts === null ? ratio : compressed })

const readRows: readonly ReadRow[] = [
  { row: 1, measure: 'the same stats', question: 'the same', compression: 'once', target: atLeast(0.6) },
  {
    row: 2,
    measure: 'stats never asked before',
    question: stats,
    compression: 'each-time',
    target: atLeast(0.3),
  },
  {
    row: 3,
    measure: 'series by day',
    question: series('day'),
    compression: 'each-time',
    target: atLeast(0.3),
  },
  {
    row: 3,
    measure: 'series by hour',
    question: series('hour'),
    compression: 'each-time',
    target: atLeast(0.3),
  },
  {
    row: 4,
    measure: 'events',
    question: eventsPage(null),
    compression: 'each-time',
    target: atLeast(0.1, 0.2),
  },
  {
    row: 4,
    measure: 'conversions',
    question: eventsPage('conversion'),
    compression: 'each-time',
    target: atLeast(0.1, 0.2),
  },
]

const connections = 32
/** More than any server here answers: so many questions are prepared for a second that none must be asked twice. */
const questionsPerSecond = 25_000
const sampledAnswers = 11

export const reads: RowBenchmark = {
  rows: [1, 2, 3, 4],
  run: (bench, wanted) =>
    withServers(bench, 'many', async running => {
      if (wanted.has(2)) await firstQuestions(bench, running)
      for (const readRow of readRows.filter(({ row }) => wanted.has(row))) {
        const asked = running.map(side => requestsFor(readRow, side))
        for (const profile of profiles) await measureRow(bench, readRow, profile, running, asked)
      }
    }),
}

type Requests = (count: number, profile: Profile) => PreparedRequest[]

function requestsFor({ question }: ReadRow, { fixture }: Running): Requests {
  if (question !== 'the same') {
    const questions = new Questions(fixture, question)
    return (count, profile) => questions.take(count, profile)
  }
  const site = fixture.sites[0]!
  const range = anyRange(
    { share: () => 0.5, upTo: n => n >> 1, zipf: () => 0, pick: all => all[0]! },
    fixture,
    30,
  )
  return (_, { accepts }) => [get(site, `stats?${range}`, accepts)]
}

async function measureRow(
  bench: Bench,
  { row, measure, question, compression, target }: ReadRow,
  profile: Profile,
  running: readonly Running[],
  asked: readonly Requests[],
): Promise<void> {
  const seconds = bench.sizes.secondsOfRound
  const count = Math.ceil(seconds * questionsPerSecond)
  const run = (server: ServerProcess, requests: readonly PreparedRequest[]): Promise<LoadResult> =>
    bench.client.load(server, { connections, seconds, requests, ends: question === stats })
  const [ours] = running
  const samples = asked[0]!(sampledAnswers, profile)
  const bare = await bareAnswering(bench, ours!.server, samples, compression)
  const bareRequests = samples.slice(0, 1)
  try {
    await compare(
      bench,
      { row, measure: `${measure}, ${profile.name}`, target: target(profile), by: 'cpu', unit: 'requests/s' },
      running,
      side => run(side.server, asked[running.indexOf(side)]!(count, profile)),
      async () =>
        rateOf(await bench.client.load(bare, { connections, seconds, requests: bareRequests, ends: false })),
    )
  } finally {
    await bare.stop()
  }
}

/** CPU time of the first question about a site, to a server that has answered about others. */
async function firstQuestions(bench: Bench, running: readonly Running[]): Promise<void> {
  bench.progress('row 2: the first question of a site')
  const figures = []
  for (const { fixture, server } of running) {
    const warm = Math.ceil(fixture.sites.length / 10)
    const others = { ...fixture, sites: fixture.sites.slice(0, warm) }
    const plain = profiles[0]
    const once = { connections: 1, seconds: 60, ends: true }
    await bench.client.load(server, {
      ...once,
      requests: new Questions(others, stats).take(50 * warm, plain),
    })
    const requests = fixture.sites
      .slice(warm)
      .map(site => get(site, new Questions(fixture, stats).take(1, plain)[0]!.path.split('/').at(-1)!))
    const { cpuPerRequest } = await bench.client.load(server, { ...once, requests })
    figures.push(figure(cpuPerRequest / 1000, 'ms CPU'))
  }
  const [ours, against = null] = figures
  bench.add({
    row: 2,
    measure: 'first question of a site',
    ours: ours!,
    against,
    yardstick: null,
    score: ours!.value,
    scoreAgainst: against?.value ?? null,
    target: { atMost: 3 },
  })
}
