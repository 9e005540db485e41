/**
 * What a tracker adds to a request: its time on the hot path, its whole processor time, and the throughput of a server that
 * does nothing else; for traffic that is reported and for people who are left out. `node bench/trackers.ts`, under a minute.
 * One server serves each way in short turns, so that what else the machine does meets all, and medians of neighbouring turns
 * are compared. On Linux the server has one processor for itself and all else, the collector included, shares the others.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeHits } from '../trackers/src/hit.js'
import { follower, pugmark } from '../trackers/src/node.js'
import { createPost } from '../trackers/src/node-post.js'
import { createTracker } from '../trackers/src/tracker.js'

const rounds = 60
const roundMs = 100
const connections = 16
const hotPathRequests = 100_000
const browserHeaders = {
  'user-agent':
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'en-GB,en;q=0.9',
  'accept-encoding': 'gzip, deflate, br',
}
const traffic = {
  'a click from an assistant': {
    url: '/blog/a-post?utm_source=chatgpt.com',
    headers: { ...browserHeaders, referer: 'https://chatgpt.com/' },
  },
  'a bot': {
    url: '/blog/a-post',
    headers: {
      'user-agent':
        'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.4; +https://openai.com/gptbot',
      accept: '*/*',
    },
  },
  'a person within the site': {
    url: '/blog/a-post',
    headers: { ...browserHeaders, referer: 'http://127.0.0.1/blog/index' },
  },
} as const
type Traffic = keyof typeof traffic
const reported = 'a click from an assistant'
const leftOut = 'a person within the site'

const [role, collectorUrl] = process.argv.slice(2)
if (role === 'collector') {
  listen((request, response) => {
    request.resume()
    response.end('{"received":1000}')
  })
} else if (role === 'server') serveEveryWay()
else {
  for (const kind of Object.keys(traffic) as Traffic[]) reportHotPath(kind)
  console.log(`its share of writing a batch, later: ${writingMicroseconds().toFixed(2)} µs`)
  await reportThroughput()
}

type Way = 'bare' | 'delivered' | 'unsent'

/**
 * One process that serves each way in turn, since no two processes are equally fast; it tells its processor time, with all
 * deliveries made, whenever it is told to change.
 */
function serveEveryWay(): void {
  const options = { host: collectorUrl, siteId: 'site_bench', key: 'pug_bench' }
  const delivered = createTracker(options, createPost())
  const answer = { status: 200, text: '{"received":1000}', retryAfter: null }
  const unsent = createTracker(options, async () => answer)
  const ways: Record<Way, ReturnType<typeof follower>> = {
    bare: () => {},
    delivered: follower(delivered),
    unsent: follower(unsent),
  }
  let follow = ways.bare
  listen((request, response) => {
    request.resume()
    follow(request, response, request.url)
    response.end('page')
  })
  process.on('message', async (way: Way) => {
    await Promise.all([delivered.flush(), unsent.flush()])
    follow = ways[way]
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
  })
}

/** Tells its port to the parent. */
function listen(handler: (request: IncomingMessage, response: ServerResponse) => void): void {
  const server = createServer(handler)
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
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
function reportHotPath(kind: Traffic): void {
  const ignoreAll = pugmark({ host: 'http://127.0.0.1:9', siteId: 's', key: 'k', onProblem: () => {} })
  const { url, headers } = traffic[kind]
  const rawHeaders = Object.entries({ host: '127.0.0.1', ...headers }).flat()
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
  console.log(`hot path, in the request of ${kind}: ${hotPath.toFixed(2)} µs`)
}

function writingMicroseconds(): number {
  const batch = 1000
  const times = Array.from({ length: 99 }, () => {
    const hits = Array.from({ length: batch }, (_, i) => ({
      method: 'GET',
      url: traffic[reported].url,
      status: 200,
      user_agent: browserHeaders['user-agent'],
      referrer: traffic[reported].headers.referer,
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
  const server = await start('server', collector.url)
  pin(server.child.pid!, '0')
  for (const pid of [process.pid, collector.child.pid!])
    pin(pid, `1-${Math.max(1, availableParallelism() - 1)}`)
  const [bareClick, delivered, unsent, barePerson, person] = await alternate(server, [
    ['bare', reported],
    ['delivered', reported],
    ['unsent', reported],
    ['bare', leftOut],
    ['delivered', leftOut],
  ])
  for (const { child } of [server, collector]) child.kill()
  compare(`${reported}, delivered`, delivered!, bareClick!)
  compare(`${reported}, delivery free of cost`, unsent!, bareClick!)
  compare(`${leftOut}, left out`, person!, barePerson!)
}

/** Each round with the bare one beside it. */
function compare(name: string, tracked: readonly Round[], bare: readonly Round[]): void {
  const added = median(tracked.map((round, i) => round.cpuMicroseconds - bare[i]!.cpuMicroseconds))
  const ratio = median(tracked.map((round, i) => round.perSecond / bare[i]!.perSecond))
  const cpu = median(bare.map(round => round.cpuMicroseconds))
  console.log(
    `${name}: adds ${added.toFixed(2)} µs of processor to ${cpu.toFixed(1)} µs a request; throughput ${ratio.toFixed(3)} of bare`,
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

/** Rounds of each run, in the order of the runs. */
async function alternate(server: Peer, runs: readonly (readonly [Way, Traffic])[]): Promise<Round[][]> {
  const results: Round[][] = runs.map(() => [])
  for (let round = -5; round < rounds; round++) {
    // Whoever goes first in one round goes last in the next.
    const order = [...runs.keys()]
    if (round % 2 !== 0) order.reverse()
    for (const run of order) {
      const result = await load(server, ...runs[run]!)
      // The first rounds only warm up.
      if (round >= 0) results[run]!.push(result)
    }
  }
  return results
}

async function load(server: Peer, way: Way, kind: Traffic): Promise<Round> {
  const before = await change(server, way)
  const startMs = performance.now()
  const requests = await requestsIn(roundMs, Number(new URL(server.url).port), kind)
  const seconds = (performance.now() - startMs) / 1000
  return {
    perSecond: requests / seconds,
    cpuMicroseconds: ((await change(server, 'bare')) - before) / requests,
  }
}

/** As many requests as the server answers in the time; far cheaper to send than to answer, so that the server is the limit. */
async function requestsIn(durationMs: number, port: number, kind: Traffic): Promise<number> {
  const { url, headers: own } = traffic[kind]
  const headers = Object.entries({ host: '127.0.0.1', ...own }).map(pair => pair.join(': '))
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

/** Its processor time until then, in microseconds. */
async function change({ child }: Peer, way: Way): Promise<number> {
  child.send(way)
  const [microseconds] = await once(child, 'message')
  return microseconds as number
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!
}
