/**
 * `node bench/floors.ts`: a measured lower bound of row 7. Pugmark with one thread, and a server of the same parts that does the least of
 * what the row asks for, each against bare node:http: nothing that is made of these parts can be faster with one thread.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { compareHttp, recordAnswer } from './compare.ts'
import { oneThread, startFloor, startPugmark } from './processes.ts'
import { RecordRequests } from './record-requests.ts'
import { singleConnections } from './recording.ts'
import { storedFixture } from './store-fixture.ts'

const [rounds, seconds] = [3, 2]
const events = 500_000

const folder = mkdtempSync(join(tmpdir(), 'pugmark-floors-'))
try {
  const fixture = await storedFixture(folder, events, text => console.error(text))
  const requests = new RecordRequests(fixture, Date.now()).singleEvents()
  const common = { requests, connections: singleConnections, rounds, seconds, parses: true }
  const server = await startPugmark(fixture.data, [], oneThread)
  const answer = await recordAnswer(server.url, requests)
  const ours = await compareHttp({ server, ...common })
  await server.stop()
  const floor = await startFloor(answer.file)
  const least = await compareHttp({ server: floor, ...common })
  await floor.stop()
  rmSync(dirname(answer.file), { recursive: true })
  const cpu = [ours.cpu.ours, least.cpu.ours, least.cpu.yardstick].map(micros => micros.toFixed(1))
  console.log('| Pugmark | Floor | CPU µs a request: Pugmark / floor / bare |')
  console.log('| --- | --- | --- |')
  console.log(`| ${ours.ratio.toFixed(2)} | ${least.ratio.toFixed(2)} | ${cpu.join(' / ')} |`)
} finally {
  rmSync(folder, { recursive: true })
}
