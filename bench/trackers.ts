/**
 * What a tracker adds to a request: its time on the hot path, its whole processor time, and the throughput of a server that
 * does nothing else. `node bench/trackers.ts`, half a minute; short rounds of the two servers alternate, so that what else
 * the machine does meets both, and medians are compared within one run. On Linux the servers have one processor for
 * themselves and all else shares the others, or chance would decide who meets whom.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeHits } from '../trackers/src/hit.js'
import { footfall } from '../trackers/src/node.js'

const rounds = 25
const roundMs = 500
const connections = 16
const hotPathRequests = 100_000
const url = '/blog/a-post?utm_source=chatgpt.com'
const browserHeaders = {
  'user-agent':
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'en-GB,en;q=0.9',
  'accept-encoding': 'gzip, deflate, br',
  referer: 'https://chatgpt.com/',
}

const [role, collectorUrl] = process.argv.slice(2)
if (role === 'collector') serve((_request, response) => response.end('{"received":1000}'))
else if (role === 'bare') serve((_request, response) => response.end('page'))
else if (role === 'tracked') {
  const track = footfall({ host: collectorUrl, siteId: 'site_bench', key: 'ff_bench' })
  serve((request, response) => {
    track(request, response)
    response.end('page')
  })
} else {
  reportHotPath()
  await reportThroughput()
}

/** A server in a process of its own, which tells its port, and its processor time when it is asked. */
function serve(handler: (request: IncomingMessage, response: ServerResponse) => void): void {
  const server = createServer((request, response) => {
    request.resume()
    handler(request, response)
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
  })
}

interface Peer {
  readonly child: ChildProcess
  readonly url: string
}

async function start(...argv: string[]): Promise<Peer> {
  const child = fork(import.meta.filename, argv)
  const [port] = await once(child, 'message')
  return { child, url: `http://127.0.0.1:${port}` }
}

/** Calls the middleware with Node's own request and response objects, and takes off what these cost without it. */
function reportHotPath(): void {
  const ignoreAll = footfall({ host: 'http://127.0.0.1:9', siteId: 's', key: 'k', onProblem: () => {} })
  const rawHeaders = Object.entries({ host: '127.0.0.1', ...browserHeaders }).flat()
  const microseconds = (handler?: typeof ignoreAll): number => {
    const socket = new Socket()
    const startMs = performance.now()
    for (let i = 0; i < hotPathRequests; i++) {
      const request = new IncomingMessage(socket)
      request.method = 'GET'
      request.url = url
      request.rawHeaders = rawHeaders
      const response = new ServerResponse(request)
      handler?.(request, response)
      response.emit('close')
    }
    return ((performance.now() - startMs) * 1000) / hotPathRequests
  }
  const hotPath = median(Array.from({ length: 9 }, () => microseconds(ignoreAll) - microseconds()))
  ignoreAll.tracker.close(0)
  console.log(`hot path, in the request: ${hotPath.toFixed(2)} µs`)
  console.log(`its share of writing a batch, later: ${writingMicroseconds().toFixed(2)} µs`)
}

function writingMicroseconds(): number {
  const batch = 1000
  const times = Array.from({ length: 99 }, () => {
    const hits = Array.from({ length: batch }, (_, i) => ({
      method: 'GET',
      url,
      status: 200,
      user_agent: browserHeaders['user-agent'],
      referrer: browserHeaders.referer,
      ip: '127.0.0.1',
      country: undefined,
      timestamp: 1_700_000_000_000 + (i >> 4),
    }))
    const startMs = performance.now()
    writeHits(hits)
    return ((performance.now() - startMs) * 1000) / batch
  })
  return median(times)
}

async function reportThroughput(): Promise<void> {
  const collector = await start('collector')
  const servers = { bare: await start('bare'), tracked: await start('tracked', collector.url) }
  pin(servers.bare.child.pid!, '0')
  pin(servers.tracked.child.pid!, '0')
  for (const pid of [process.pid, collector.child.pid!])
    pin(pid, `1-${Math.max(1, availableParallelism() - 1)}`)
  const rounds = await alternate(servers)
  for (const { child } of [servers.bare, servers.tracked, collector]) child.kill()
  for (const which of ['bare', 'tracked'] as const) {
    const rate = median(rounds[which].map(round => round.perSecond))
    const cpu = median(rounds[which].map(round => round.cpuMicroseconds))
    console.log(`${which}: ${rate.toFixed(0)} requests/s, ${cpu.toFixed(1)} µs of processor a request`)
  }
  const added = median(
    rounds.tracked.map((round, i) => round.cpuMicroseconds - rounds.bare[i]!.cpuMicroseconds),
  )
  console.log(
    `added: ${added.toFixed(1)} µs of processor a request, 2% of a server that takes ${(added * 50).toFixed(0)} µs`,
  )
  const ratios = rounds.tracked.map((round, i) => round.perSecond / rounds.bare[i]!.perSecond)
  console.log(
    `throughput, tracked to bare: ${median(ratios).toFixed(3)} (median of ${ratios.length} pairs of rounds)`,
  )
}

interface Round {
  readonly perSecond: number
  readonly cpuMicroseconds: number
}

/** Keeps a process and its threads to some processors, where the system has the tool for it. */
function pin(pid: number, processors: string): void {
  try {
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', processors, String(pid)], {
      stdio: 'ignore',
    })
  } catch {
    console.log('(without taskset: throughput depends on who shares a processor with whom)')
  }
}

async function alternate(servers: Record<'bare' | 'tracked', Peer>) {
  const results: Record<'bare' | 'tracked', Round[]> = { bare: [], tracked: [] }
  for (let round = -2; round < rounds; round++) {
    // Whoever goes first in one pair goes second in the next.
    const order = round % 2 === 0 ? (['bare', 'tracked'] as const) : (['tracked', 'bare'] as const)
    for (const which of order) {
      const result = await load(servers[which])
      // The first rounds only warm up.
      if (round >= 0) results[which].push(result)
    }
  }
  return results
}

async function load(server: Peer): Promise<Round> {
  const before = await cpuOf(server)
  const startMs = performance.now()
  const requests = await requestsIn(roundMs, Number(new URL(server.url).port))
  const seconds = (performance.now() - startMs) / 1000
  return { perSecond: requests / seconds, cpuMicroseconds: ((await cpuOf(server)) - before) / requests }
}

/** As many requests as the server answers in the time; far cheaper to send than to answer, so that the server is the limit. */
async function requestsIn(durationMs: number, port: number): Promise<number> {
  const headers = Object.entries({ host: '127.0.0.1', ...browserHeaders }).map(pair => pair.join(': '))
  const bytes = Buffer.from([`GET ${url} HTTP/1.1`, ...headers, '', ''].join('\r\n'))
  let answered = 0
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect(port, '127.0.0.1')
    // Every answer is small enough to come in one piece.
    socket.on('data', () => {
      answered++
      socket.write(bytes)
    })
    socket.write(bytes)
    return socket
  })
  await sleep(durationMs)
  for (const socket of sockets) socket.destroy()
  return answered
}

async function cpuOf({ child }: Peer): Promise<number> {
  child.send('cpu')
  const [microseconds] = await once(child, 'message')
  return microseconds as number
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!
}
