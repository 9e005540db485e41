/** `node bench/profile.ts`: where the one thread of a warm server that answers spends its time in rows 1 to 4, in microseconds a request, by room of the code. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load, type PreparedRequest, RequestFile } from './load.ts'
import { oneThread, startPugmark } from './processes.ts'
import { ReadRequests } from './read-requests.ts'
import { connections } from './reads.ts'
import { storedFixture } from './store-fixture.ts'

const events = 500_000
const warmSeconds = 6
const seconds = 5

/** What `--cpu-prof` writes; times are in microseconds. */
interface Profile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly children?: readonly number[]
}

const folder = mkdtempSync(join(tmpdir(), 'pugmark-profile-'))
try {
  const fixture = await storedFixture(folder, events, text => console.error(text))
  const asks = new ReadRequests(fixture)
  const measured = [
    await profileOf(fixture.data, 'row 1', asks.sameStats()),
    await profileOf(fixture.data, 'row 2', asks.randomStats()),
    await profileOf(fixture.data, 'row 3 by hour', asks.series('hour')),
    await profileOf(fixture.data, 'row 4', asks.events(null)),
  ]
  const names = new Set(measured.flatMap(({ rooms }) => [...rooms.keys()]))
  const line = (first: string, cells: readonly string[]) =>
    console.log(`| ${[first, ...cells].join(' | ')} |`)
  line(
    'µs a request',
    measured.map(({ row }) => row),
  )
  line(
    '---',
    measured.map(() => '---'),
  )
  for (const name of names)
    line(
      name,
      measured.map(({ rooms }) => (rooms.get(name) ?? 0).toFixed(1)),
    )
  line(
    'all',
    measured.map(({ rooms }) => sum(rooms.values()).toFixed(1)),
  )
} finally {
  rmSync(folder, { recursive: true })
}

/** Microseconds a request by room, the longest first. */
async function profileOf(data: string, row: string, prepared: readonly PreparedRequest[]) {
  const requests = new RequestFile(prepared)
  const profiles = mkdtempSync(join(folder, 'profiles-'))
  const server = await startPugmark(data, ['--cpu-prof', `--cpu-prof-dir=${profiles}`], oneThread)
  const ask = (duration: number) => load({ url: server.url, connections, seconds: duration, requests })
  await ask(warmSeconds)
  const found = await ask(seconds)
  await server.stop()
  requests.remove()
  const times = [...roomsOf(mainThread(profiles))].map(
    ([room, time]) => [room, time / found.requests] as const,
  )
  return { row, rooms: new Map(times.sort(([, a], [, b]) => b - a)) }
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0)
}

/** Threads write a profile each; the main thread's is the first. */
function mainThread(profiles: string): Profile {
  const [first] = readdirSync(profiles).sort((a, b) => threadOf(a) - threadOf(b))
  return JSON.parse(readFileSync(join(profiles, first!), 'utf8')) as Profile
}

/** CPU.<date>.<time>.<process>.<thread>.<sequence>.cpuprofile */
function threadOf(file: string): number {
  return Number(file.split('.')[4])
}

/** Time by room in the last `seconds` before the end of the load. */
function roomsOf({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const parents = new Map(
    nodes.flatMap(node => (node.children ?? []).map(child => [child, node.id] as const)),
  )
  const named = new Map<number, string>()
  const roomOfId = (id: number): string => {
    let room = named.get(id)
    if (room === undefined) {
      const frame = byId.get(id)!.callFrame
      const above = parents.get(id)
      room = roomOf(frame.functionName, frame.url) ?? (above === undefined ? 'other' : roomOfId(above))
      named.set(id, room)
    }
    return room
  }
  const rooms = new Map<string, number>()
  let left = seconds * 1e6
  for (let i = lastBusy(samples, roomOfId); i >= 0 && left > 0; i--) {
    const room = roomOfId(samples[i]!)
    const time = timeDeltas[i]!
    left -= time
    if (room !== 'idle') rooms.set(room, (rooms.get(room) ?? 0) + time)
  }
  return rooms
}

/** Stopping the server comes after a pause of wrk's own: the load ends with the last sample in `src/http`. */
function lastBusy(samples: readonly number[], roomOfId: (id: number) => string): number {
  return samples.findLastIndex(id => roomOfId(id) === 'src/http')
}

/** Functions of the engine, such as JSON.stringify, have no address and belong to who calls them: null. */
function roomOf(name: string, url: string): string | null {
  if (name === '(idle)') return 'idle'
  if (name === '(garbage collector)') return 'garbage collector'
  if (/^write(v|Buffer|\w+String)$/.test(name) && url === '') return 'write to the socket'
  if (url === '') return name === '(program)' ? 'kernel, parser and other native code' : null
  const source = /\/(src\/[a-z]+)/.exec(url)?.[1]
  if (url.includes('/node_modules/')) return 'packages, Fastify above all'
  return source ?? (url.startsWith('node:') ? 'modules of Node' : 'other')
}
