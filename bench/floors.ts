/**
 * `node bench/floors.ts`: measured lower bounds of rows that miss their targets. Footfall with one thread, and a server of the same parts that does the
 * least of what the row asks for, each against bare node:http: nothing that is made of these parts can be faster.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { compareHttp, recordAnswer } from './compare.ts'
import type { PreparedRequest } from './load.ts'
import { type FloorKind, oneThread, startFloor, startFootfall } from './processes.ts'
import { ReadRequests } from './read-requests.ts'
import { connections } from './reads.ts'
import { RecordRequests } from './record-requests.ts'
import { singleConnections } from './recording.ts'
import { storedFixture } from './store-fixture.ts'

const [rounds, seconds] = [3, 2]
const events = 500_000

const folder = mkdtempSync(join(tmpdir(), 'footfall-floors-'))
try {
  const fixture = await storedFixture(folder, events, text => console.error(text))
  console.log('| Row | | Footfall | Floor | CPU µs a request: Footfall / floor / bare |')
  console.log('| --- | --- | --- | --- | --- |')
  const row = async (
    number: number,
    kind: FloorKind,
    about: string,
    requests: readonly PreparedRequest[],
    ofConnections: number,
  ): Promise<void> => {
    const common = { requests, connections: ofConnections, rounds, seconds, parses: kind === 'durable' }
    const server = await startFootfall(fixture.data, [], oneThread)
    const answer = await recordAnswer(server.url, requests)
    const ours = await compareHttp({ server, ...common })
    await server.stop()
    const floor = await startFloor(kind, answer.file)
    const least = await compareHttp({ server: floor, ...common })
    await floor.stop()
    rmSync(dirname(answer.file), { recursive: true })
    const cpu = [ours.cpu.ours, least.cpu.ours, least.cpu.yardstick].map(micros => micros.toFixed(1))
    console.log(
      `| ${number} | ${about} | ${ours.ratio.toFixed(2)} | ${least.ratio.toFixed(2)} | ${cpu.join(' / ')} |`,
    )
  }
  const asks = new ReadRequests(fixture)
  const singles = new RecordRequests(fixture, Date.now()).singleEvents()
  await row(1, 'framework', 'Fastify, one route, no hooks, no log', asks.sameStats(), connections)
  const fromMemory = 'the numbers of a site in memory, filled into an answer'
  await row(2, 'numbers', fromMemory, asks.randomStats(), connections)
  await row(3, 'numbers', `${fromMemory} (by day)`, asks.series('day'), connections)
  await row(
    4,
    'page',
    'one row of 4 KiB read for each page, no event looked at',
    asks.events(null),
    connections,
  )
  await row(7, 'durable', 'each body inserted into one table without an index', singles, singleConnections)
} finally {
  rmSync(folder, { recursive: true })
}
