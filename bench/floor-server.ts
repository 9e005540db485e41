/**
 * The least that an answer can cost with the parts that Footfall is made of (bench/floors.ts):
 * `node bench/floor-server.ts framework ANSWER`: Fastify with one route and no hooks, which sends one recorded answer.
 * `node bench/floor-server.ts numbers ANSWER`: node:http that fills the numbers of one of a thousand sites, all in memory, into the
 * recorded answer.
 * `node bench/floor-server.ts page ANSWER`: node:http that reads one row of 4 KiB at random from one SQLite table by an index, and sends
 * the recorded answer as bytes that are copied each time.
 * `node bench/floor-server.ts durable ANSWER`: node:http that parses each body, and sends the answer when a thread of its own has
 * inserted it into one SQLite table without an index; all bodies that wait share a commit.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isMainThread, parentPort, receiveMessageOnPort, Worker, workerData } from 'node:worker_threads'
import { fastify } from 'fastify'
import { copiedBeyond, PieceMemory } from '../src/reports/piece-memory.ts'
import { writeInteger } from '../src/reports/spell-bytes.ts'

interface Answer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

/** About as many rows as half a million events fill. */
const [sites, rowsOfSite] = [100, 20]

if (isMainThread) await serve(process.argv[2]!, process.argv[3]!)
else insertEverything(workerData as string)

async function serve(kind: string, answerFile: string): Promise<void> {
  const answer = JSON.parse(readFileSync(answerFile, 'utf8')) as Answer
  const folder = dirname(answerFile)
  const port = await (kind === 'framework'
    ? serveByFastify(answer)
    : kind === 'numbers'
      ? serveNumbers(answer)
      : kind === 'page'
        ? servePages(answer, folder)
        : serveDurably(answer, folder))
  console.log(`listening on http://127.0.0.1:${port}`)
  process.on('SIGTERM', () => process.exit(0))
}

async function serveByFastify({ status, headers, body }: Answer): Promise<number> {
  const app = fastify()
  const bytes = Buffer.from(body)
  app.get('*', (_request, reply) => {
    reply.code(status).headers(headers).send(bytes)
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as AddressInfo).port
}

async function serveNumbers({ status, headers, body }: Answer): Promise<number> {
  const texts = body.split(/(?<=": *)\d+(?:\.\d+)?(?=[,}])/)
  const pieces = new PieceMemory(2 ** 20)
  const places = texts.map((text, i) => pieces.remember(i, text))
  // A row of running totals for each day of half a year.
  const width = texts.length - 1
  const totals = Array.from({ length: 1_000 }, (_, site) =>
    Uint16Array.from({ length: 180 * width }, (_, i) => site + i),
  )
  const bytes = Buffer.alloc(body.length + width * 5 + copiedBeyond)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let asked = 0
  const server = createServer((_request, response) => {
    asked++
    const counts = totals[(asked * 37) % 1_000]!
    const first = ((asked * 7) % 90) * width
    const last = first + 48 * width
    let at = pieces.copy(places[0]!, view, 0)
    for (let i = 0; i < width; i++) {
      at = writeInteger(view, at, Math.abs(counts[last + i]! - counts[first + i]!))
      at = pieces.copy(places[i + 1]!, view, at)
    }
    response.writeHead(status, { ...headers, 'content-length': at })
    response.end(bytes.toString('latin1', 0, at), 'latin1')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function servePages({ status, headers, body }: Answer, folder: string): Promise<number> {
  const database = new DatabaseSync(join(folder, 'floor.db'))
  database.exec(`
    CREATE TABLE chunk (id INTEGER PRIMARY KEY, site INTEGER, first_time INTEGER, data BLOB);
    CREATE UNIQUE INDEX chunk_order ON chunk (site, first_time);
    BEGIN`)
  const insert = database.prepare(
    'INSERT INTO chunk (site, first_time, data) VALUES (?, ?, randomblob(4000))',
  )
  for (let time = 0; time < rowsOfSite; time++)
    for (let site = 0; site < sites; site++) insert.run(site, time)
  database.exec('COMMIT')
  const chunkBefore = database.prepare(
    'SELECT data FROM chunk WHERE site = ? AND first_time < ? ORDER BY first_time DESC LIMIT 1',
  )
  const bytes = Buffer.from(body)
  let asked = 0
  const server = createServer((_request, response) => {
    asked++
    chunkBefore.get((asked * 37) % sites, 1 + ((asked * 7) % rowsOfSite))
    response.writeHead(status, headers)
    response.end(Buffer.from(bytes))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function serveDurably({ status, headers, body }: Answer, folder: string): Promise<number> {
  const writer = new Worker(import.meta.filename, { workerData: join(folder, 'floor.db') })
  let waiting: { item: unknown; acknowledge: () => void }[] = []
  const committing: (() => void)[] = []
  const hand = (): void => {
    writer.postMessage(waiting.map(({ item }) => JSON.stringify(item)))
    committing.push(...waiting.map(({ acknowledge }) => acknowledge))
    waiting = []
  }
  writer.on('message', (count: number) => {
    for (const acknowledge of committing.splice(0, count)) acknowledge()
  })
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', part => parts.push(part))
    request.on('end', () => {
      const item: unknown = JSON.parse(Buffer.concat(parts).toString())
      const acknowledge = (): void => {
        response.writeHead(status, headers)
        response.end(body)
      }
      if (waiting.push({ item, acknowledge }) === 1) setImmediate(hand)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function insertEverything(file: string): void {
  const database = new DatabaseSync(file)
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE event (id INTEGER PRIMARY KEY, data TEXT)',
  )
  const insert = database.prepare('INSERT INTO event (data) VALUES (?)')
  const [begin, commit] = [database.prepare('BEGIN IMMEDIATE'), database.prepare('COMMIT')]
  parentPort!.on('message', (first: string[]) => {
    const items = [...first]
    for (let more = receiveMessageOnPort(parentPort!); more; more = receiveMessageOnPort(parentPort!))
      items.push(...(more.message as string[]))
    begin.run()
    for (const item of items) insert.run(item)
    commit.run()
    parentPort!.postMessage(items.length)
  })
}
