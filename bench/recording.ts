/** Rows 6 to 8: recording over HTTP against a bare loop of inserts, single events against a bare server, reads meanwhile. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Bench, type Benchmark, judge, type StoredFixture } from './benchmark.ts'
import { ask, compare, compareHttp, figure } from './compare.ts'
import { type LoadResult, load, type PreparedRequest, RequestFile } from './load.ts'
import { type ServerProcess, startPugmark } from './processes.ts'
import { ReadRequests } from './read-requests.ts'
import { batchSize, RecordRequests } from './record-requests.ts'

/** Enough that the writer never waits for the next batch. */
const batchConnections = 4
export const singleConnections = 64
const readConnections = 8

export const recording: readonly Benchmark[] = [
  batchBenchmark('events', 0.6, make => make.eventBatches()),
  batchBenchmark('hits', 0.5, make => make.hitBatches()),
  { row: 7, about: 'single events, durable when acknowledged', run: measureSingles },
  { row: 8, about: 'stats while batches are recorded at full speed', run: measureReadsMeanwhile },
]

function batchBenchmark(
  kind: 'events' | 'hits',
  atLeast: number,
  requestsOf: (make: RecordRequests) => PreparedRequest[],
): Benchmark {
  const about = `recording batches of ${batchSize.toLocaleString('en')} ${kind}, durable when acknowledged`
  return {
    row: 6,
    about,
    run: bench =>
      withWritableServer(bench, async (server, fixture) => {
        const requests = new RequestFile(requestsOf(new RecordRequests(fixture, Date.now())))
        const { seconds } = bench
        let sent = 0
        const before = await recordedSoFar(server, fixture)
        const ours = async (): Promise<number> => {
          const result = await load({ url: server.url, connections: batchConnections, seconds, requests })
          sent += result.requests * batchSize
          return result.requestsPerSecond * batchSize
        }
        await ours()
        const found = await compare(bench.rounds, ours, () => bareInserts(bench.newFolder(), seconds))
        requests.remove()
        requireRecorded((await recordedSoFar(server, fixture)) - before, sent, bench.rounds + 1)
        return [
          judge({
            row: 6,
            measure: about,
            unit: `${kind}/s`,
            ours: found.ours,
            yardstick: { name: 'bare loop of inserts', ...found.yardstick },
            score: found.ratio,
            target: { atLeast },
          }),
        ]
      }),
  }
}

async function bareInserts(folder: string, seconds: number): Promise<number> {
  const program = join(import.meta.dirname, 'bare-inserts.ts')
  const argv = [program, join(folder, 'bare.db'), String(seconds)]
  const { stdout } = await promisify(execFile)(process.execPath, argv)
  return Number(stdout)
}

/** Events that the account's sites have recorded this month. */
async function recordedSoFar({ url }: ServerProcess, { key }: StoredFixture): Promise<number> {
  const headers = { Authorization: `Bearer ${key}` }
  const { body } = await ask(url, { method: 'GET', path: '/api/v1/sites', headers })
  const { sites } = JSON.parse(body) as { sites: { events_this_month: number }[] }
  return sites.reduce((sum, site) => sum + site.events_this_month, 0)
}

/** What was acknowledged is there, and nothing but what was still under way when the load generator went away. */
function requireRecorded(recorded: number, acknowledged: number, loads: number): void {
  const underWay = loads * batchConnections * batchSize
  if (recorded < acknowledged || recorded > acknowledged + underWay) {
    throw new Error(`${acknowledged} events were acknowledged and ${recorded} are recorded`)
  }
}

function measureSingles(bench: Bench) {
  return withWritableServer(bench, async (server, fixture) => {
    const { rounds, seconds } = bench
    const requests = new RecordRequests(fixture, Date.now()).singleEvents()
    const connections = singleConnections
    const found = await compareHttp({ server, requests, connections, rounds, seconds, parses: true })
    return [
      judge({
        row: 7,
        measure: `single events, ${connections} connections, durable when acknowledged`,
        unit: 'requests/s',
        ours: found.ours,
        yardstick: { name: 'bare node:http that parses', ...found.yardstick },
        score: found.ratio,
        target: { atLeast: 0.5 },
        cpu: found.cpu,
      }),
    ]
  })
}

function measureReadsMeanwhile(bench: Bench) {
  return withWritableServer(bench, async (server, fixture) => {
    const make = new RecordRequests(fixture, Date.now())
    const reads = new RequestFile(new ReadRequests(fixture).randomStats())
    // Batches of events and of hits in turn.
    const hits = make.hitBatches()
    const writes = new RequestFile(make.eventBatches().flatMap((events, i) => [events, hits[i]!]))
    const { url } = server
    const { rounds, seconds } = bench
    const read = () => load({ url, connections: readConnections, seconds, requests: reads })
    const meanwhile: LoadResult[] = []
    let batches = 0
    await read()
    const found = await compare(
      rounds,
      async () => {
        const write = load({ url, connections: batchConnections, seconds, requests: writes })
        const [result, written] = await Promise.all([read(), write])
        meanwhile.push(result)
        batches += written.requestsPerSecond / rounds
        return result.p99
      },
      async () => (await read()).p99,
    )
    reads.remove()
    writes.remove()
    const max = figure(meanwhile.map(result => result.max))
    const common = { row: 8, unit: 'ms' }
    return [
      judge({
        ...common,
        measure: `p99 of row 2 at ${readConnections} connections while batches are recorded`,
        ours: found.ours,
        yardstick: { name: 'without writes', ...found.yardstick },
        score: found.ratio,
        target: { atMost: 5 },
        note: `${Math.round(batches * batchSize).toLocaleString('en')} events/s meanwhile`,
      }),
      judge({
        ...common,
        measure: 'the slowest of these requests',
        ours: max,
        yardstick: null,
        score: max.highest,
        target: { atMost: 100 },
      }),
    ]
  })
}

async function withWritableServer<Result>(
  bench: Bench,
  measure: (server: ServerProcess, fixture: StoredFixture) => Promise<Result>,
): Promise<Result> {
  const fixture = bench.copyOf(await bench.large())
  const server = await startPugmark(fixture.data)
  try {
    return await measure(server, fixture)
  } finally {
    await server.stop()
  }
}
