/** Rows 1 to 5: reads over HTTP against a bare server that sends the same bytes, and against less stored traffic. */
import { type Benchmark, judge } from './benchmark.ts'
import { compare, compareHttp } from './compare.ts'
import { load, type PreparedRequest, RequestFile } from './load.ts'
import { startPugmark } from './processes.ts'
import { ReadRequests } from './read-requests.ts'

export const connections = 32

export const reads: readonly Benchmark[] = [
  againstBare(1, 'stats, 30 days, one site again and again', 0.75, ask => ask.sameStats()),
  againstBare(2, 'stats, random site and range', 0.45, ask => ask.randomStats()),
  againstBare(3, 'timeseries, 30 days by day, random site', 0.5, ask => ask.series('day')),
  againstBare(3, 'timeseries, 30 days by hour, random site', 0.5, ask => ask.series('hour')),
  againstBare(4, 'events, pages of 100 at random positions', 0.35, ask => ask.events(null)),
  againstBare(4, 'events, pages of 100 conversions', 0.3, ask => ask.events('conversion')),
  { row: 5, about: 'stats with more traffic stored', run: measureGrowth },
]

function againstBare(
  row: number,
  about: string,
  atLeast: number,
  requestsOf: (ask: ReadRequests) => PreparedRequest[],
): Benchmark {
  return {
    row,
    about,
    async run({ large, rounds, seconds }) {
      const fixture = await large()
      const server = await startPugmark(fixture.data)
      try {
        const requests = requestsOf(new ReadRequests(fixture))
        const found = await compareHttp({ server, requests, connections, rounds, seconds })
        return [
          judge({
            row,
            measure: about,
            unit: 'requests/s',
            ours: found.ours,
            yardstick: { name: 'bare node:http', ...found.yardstick },
            score: found.ratio,
            target: { atLeast },
            cpu: found.cpu,
            note: `answers of ${found.answerBytes} bytes`,
          }),
        ]
      } finally {
        await server.stop()
      }
    },
  }
}

async function measureGrowth({ large, small, rounds, seconds }: Parameters<Benchmark['run']>[0]) {
  const fixtures = [await large(), await small()] as const
  const sides = []
  for (const fixture of fixtures) {
    const requests = new RequestFile(new ReadRequests(fixture).randomStats())
    const server = await startPugmark(fixture.data)
    sides.push({
      measure: async () => {
        const result = await load({ url: server.url, connections, seconds, requests })
        return result.requestsPerSecond
      },
      async end() {
        requests.remove()
        await server.stop()
      },
    })
  }
  try {
    for (const side of sides) await side.measure()
    const found = await compare(rounds, sides[0]!.measure, sides[1]!.measure)
    const [more, less] = fixtures.map(({ events }) => events.toLocaleString('en'))
    return [
      judge({
        row: 5,
        measure: `row 2 with ${more} events stored`,
        unit: 'requests/s',
        ours: found.ours,
        yardstick: { name: `${less} events`, ...found.yardstick },
        score: found.ratio,
        target: { atLeast: 0.9 },
      }),
    ]
  } finally {
    for (const side of sides) await side.end()
  }
}
