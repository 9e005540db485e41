/** Runs two ways of doing the same in turn, round after round, and gives medians, spread and the ratio. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type LoadResult, load, type PreparedRequest, RequestFile } from './load.ts'
import { type ServerProcess, startBare } from './processes.ts'

export interface Figure {
  readonly median: number
  readonly lowest: number
  readonly highest: number
}

export interface Comparison {
  readonly ours: Figure
  readonly yardstick: Figure
  /** Ours by the yardstick's: the median of the rounds' ratios. */
  readonly ratio: number
}

export function figure(values: readonly number[]): Figure {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return {
    median: (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2,
    lowest: sorted[0]!,
    highest: sorted.at(-1)!,
  }
}

/** `ours` and `yardstick` measure one round each, in the same unit. */
export async function compare(
  rounds: number,
  ours: () => Promise<number>,
  yardstick: () => Promise<number>,
): Promise<Comparison> {
  const a: number[] = []
  const b: number[] = []
  for (let round = 0; round < rounds; round++) {
    // Who goes first changes, so that a machine that tires is fair to both.
    if (round % 2 === 0) a.push(await ours())
    b.push(await yardstick())
    if (round % 2 === 1) a.push(await ours())
  }
  return { ours: figure(a), yardstick: figure(b), ratio: figure(a.map((value, i) => value / b[i]!)).median }
}

export interface HttpComparison extends Comparison {
  /** CPU time a request, in microseconds; steadier than requests a second where the machine is shared. */
  readonly cpu: { readonly ours: number; readonly yardstick: number }
  readonly answerBytes: number
}

export interface HttpQuestion {
  readonly server: ServerProcess
  readonly requests: readonly PreparedRequest[]
  readonly connections: number
  readonly rounds: number
  readonly seconds: number
  /** The yardstick reads and parses the body, too. */
  readonly parses?: boolean
}

/**
 * Requests a second of the server against bare node:http that sends the recorded answer to one of the requests, of middle
 * size. Throws when the server's answers are far smaller on average: fast answers with nothing in them prove nothing.
 */
export async function compareHttp(question: HttpQuestion): Promise<HttpComparison> {
  const { server, connections, rounds, seconds } = question
  const answer = await recordAnswer(server.url, question.requests)
  const bare = await startBare(answer.file, question.parses)
  const requests = new RequestFile(question.requests)
  const cpu = { ours: [] as number[], yardstick: [] as number[] }
  const round = async (target: ServerProcess, used: number[]): Promise<number> => {
    const before = target.cpuMicroseconds()
    const result: LoadResult = await load({ url: target.url, connections, seconds, requests })
    used.push((target.cpuMicroseconds() - before) / result.requests)
    if (result.bytesPerRequest < answer.bytes / 3) {
      throw new Error(
        `answers have ${Math.round(result.bytesPerRequest)} bytes where ${answer.bytes} were expected`,
      )
    }
    return result.requestsPerSecond
  }
  try {
    // The first load makes a further thread start; the second is the first that it answers.
    for (let warm = 0; warm < 2; warm++) await load({ url: server.url, connections, seconds, requests })
    await load({ url: bare.url, connections, seconds: 1, requests })
    const comparison = await compare(
      rounds,
      () => round(server, cpu.ours),
      () => round(bare, cpu.yardstick),
    )
    return {
      ...comparison,
      cpu: { ours: figure(cpu.ours).median, yardstick: figure(cpu.yardstick).median },
      answerBytes: answer.bytes,
    }
  } finally {
    requests.remove()
    await bare.stop()
    rmSync(dirname(answer.file), { recursive: true })
  }
}

/** Headers that node:http writes by itself. */
const ownHeaders = new Set(['date', 'connection', 'keep-alive'])

const samples = 15

/** The answer of middle size to some of the requests, in a file for the bare server. */
export async function recordAnswer(
  url: string,
  requests: readonly PreparedRequest[],
): Promise<{ file: string; bytes: number }> {
  const some = requests.slice(0, samples)
  const answers = []
  for (const request of some) answers.push(await ask(url, request))
  answers.sort((a, b) => a.body.length - b.body.length)
  const answer = answers[Math.floor(answers.length / 2)]!
  const file = join(mkdtempSync(join(tmpdir(), 'pugmark-bench-')), 'answer.json')
  writeFileSync(file, JSON.stringify(answer))
  return { file, bytes: Buffer.byteLength(answer.body) }
}

/** Sends a prepared request once. Throws when it is refused. */
export async function ask(url: string, { method, path, headers, body }: PreparedRequest) {
  const response = await fetch(url + path, {
    method,
    headers: { ...headers, 'accept-encoding': 'identity' },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`)
  const kept = [...response.headers].filter(([name]) => !ownHeaders.has(name))
  return { status: response.status, headers: Object.fromEntries(kept), body: text }
}
