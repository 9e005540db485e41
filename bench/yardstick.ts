/** Bare servers that send what ours has sent, or that only parse what ours is sent. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BareAnswer, Coding } from './bare-server.ts'
import { type Bench, startBare } from './bench.ts'
import type { ServerProcess } from './processes.ts'
import { type Answer, ask, type PreparedRequest } from './requests.ts'

/** Whether the bare server compresses each time, as ours must for answers that are not kept. */
export type Compression = 'once' | 'each-time'

/** Sends the answer of middle size to these requests. */
export async function bareAnswering(
  bench: Bench,
  server: ServerProcess,
  requests: readonly PreparedRequest[],
  compression: Compression,
): Promise<ServerProcess> {
  const answers: { request: PreparedRequest; answer: Answer }[] = []
  for (const request of requests) answers.push({ request, answer: await ask(server.port, request) })
  answers.sort((a, b) => a.answer.body.length - b.answer.body.length)
  const { request, answer } = answers[answers.length >> 1]!
  const coding = (answer.headers['content-encoding'] ?? null) as Coding | null
  if (coding === null || compression === 'once') return startWith(bench, answer, answer.body, null, false)
  const { 'Accept-Encoding': _, ...headers } = request.headers
  const plain = await ask(server.port, { ...request, headers })
  return startWith(bench, answer, plain.body, coding, false)
}

/** Reads and parses the body of each request, and sends the answer that ours gave to such a request. */
export async function bareParsing(
  bench: Bench,
  server: ServerProcess,
  request: PreparedRequest,
): Promise<ServerProcess> {
  const answer = await ask(server.port, request)
  return startWith(bench, answer, answer.body, null, true)
}

/** Headers that Node writes itself, or that belong to one connection. */
const ownHeaders = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']

function startWith(
  { folder }: Bench,
  { status, rawHeaders }: Answer,
  body: Buffer,
  compress: Coding | null,
  parses: boolean,
): Promise<ServerProcess> {
  const headers = rawHeaders.filter((_, i, all) => !ownHeaders.includes(all[i - (i % 2)]!.toLowerCase()))
  const file = join(folder, 'bare-answer.json')
  const answer: BareAnswer = { status, headers, body: body.toString('base64'), compress, parses }
  writeFileSync(file, JSON.stringify(answer))
  return startBare(file)
}
