/**
 * `node bench/floor-server.ts ANSWER`: the least that a durable answer to a single event can cost with the parts that Pugmark is made of
 * (bench/floors.ts). node:http that parses each body, and sends the recorded answer when a thread of its own has inserted it into one SQLite
 * table without an index; all bodies that wait share a commit.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isMainThread, parentPort, receiveMessageOnPort, Worker, workerData } from 'node:worker_threads'

interface Answer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

if (isMainThread) await serve(process.argv[2]!)
else insertEverything(workerData as string)

async function serve(answerFile: string): Promise<void> {
  const answer = JSON.parse(readFileSync(answerFile, 'utf8')) as Answer
  const port = await serveDurably(answer, dirname(answerFile))
  console.log(`listening on http://127.0.0.1:${port}`)
  process.on('SIGTERM', () => process.exit(0))
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
