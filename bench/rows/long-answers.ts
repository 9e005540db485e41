/** Answers that take long: a century by the hour, and the top pages of sites with many, while another client asks on. */
import { type Bench, type FixtureName, type RowBenchmark, type Running, withServers } from '../bench.ts'
import { dayMs } from '../fixture.ts'
import { LoadClient } from '../load.ts'
import { isoDay, profiles, Questions, stats } from '../questions.ts'
import { ask, type PreparedRequest } from '../requests.ts'
import { median } from '../rounds.ts'
import { get } from '../sent.ts'
import { addFigures } from './growth.ts'

/** 876,600 points; no day before 1970 can be asked for. */
const centuryByHour = 'timeseries?start=1970-01-01&end=2069-12-31&granularity=hour'
const otherReadsMsMax = 50
const pageQuestions = 9

export const longAnswers: RowBenchmark = {
  rows: [12, 13],
  async run(bench, wanted) {
    if (wanted.has(12)) await century(bench)
    if (!wanted.has(13)) return
    await topPages(bench, 'one', 60)
    await topPages(bench, 'huge', 1_500)
  },
}

const century = (bench: Bench): Promise<void> =>
  withServers(bench, 'many', async running => {
    bench.progress('row 12: 100 years by the hour')
    const memory: number[] = []
    const p99: number[] = []
    for (const side of running) {
      const { fixture, server } = side
      // What the other questions need by themselves is not counted.
      await otherReads(bench, bench.client, side)
      const before = server.peakMemoryMib()
      p99.push(await whileAsking(bench, side, [get(fixture.sites[0]!, centuryByHour)]))
      memory.push(server.peakMemoryMib() - before)
    }
    addFigures(bench, 12, 'memory that 100 years by the hour add', 'MiB', memory, 50)
    addFigures(bench, 12, 'p99 of other reads meanwhile', 'ms', p99, otherReadsMsMax)
  })

const topPages = (bench: Bench, name: FixtureName, msMax: number): Promise<void> =>
  withServers(bench, name, async running => {
    const events = running[0]!.fixture.events.toLocaleString('en')
    bench.progress(`row 13: top pages of a site with ${events} events`)
    const times: number[] = []
    const p99: number[] = []
    for (const side of running) {
      const { fixture, server } = side
      // Each of another range, so that none is remembered.
      const questions = Array.from({ length: pageQuestions }, (_, i) => {
        const start = isoDay(fixture.startMs + (i % 3) * dayMs)
        const end = isoDay(fixture.endMs - Math.floor(i / 3) * dayMs)
        return get(fixture.sites[0]!, `breakdown?dimension=page&start=${start}&end=${end}`)
      })
      const found: number[] = []
      for (const question of questions) {
        const startMs = performance.now()
        await ask(server.port, question)
        found.push(performance.now() - startMs)
      }
      times.push(median(found))
      p99.push(await whileAsking(bench, side, questions))
    }
    addFigures(bench, 13, `top pages of 90 days, ${events} events`, 'ms', times, msMax)
    addFigures(bench, 13, `p99 of other reads meanwhile, ${events} events`, 'ms', p99, otherReadsMsMax)
  })

/** The p99 of one client's reads while another asks these questions again and again. */
async function whileAsking(
  bench: Bench,
  side: Running,
  requests: readonly PreparedRequest[],
): Promise<number> {
  const other = new LoadClient()
  try {
    const { secondsOfRound } = bench.sizes
    const found: number[] = []
    for (let round = 0; round < bench.sizes.rounds; round++) {
      const job = { connections: 1, seconds: secondsOfRound, requests, ends: false }
      const [, { p99 }] = await Promise.all([
        other.load(side.server, job),
        otherReads(bench, bench.client, side),
      ])
      found.push(p99)
    }
    return median(found)
  } finally {
    other.end()
  }
}

const otherReads = ({ sizes }: Bench, client: LoadClient, { fixture, server }: Running) =>
  client.load(server, {
    connections: 1,
    seconds: sizes.secondsOfRound,
    requests: new Questions(fixture, stats).take(2_000, profiles[1]),
    ends: false,
  })
