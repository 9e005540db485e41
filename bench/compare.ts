/** Runs two ways of doing the same in turn, round after round, and gives medians, spread and the ratio. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  return { median: sorted[Math.floor(sorted.length / 2)]!, lowest: sorted[0]!, highest: sorted.at(-1)! }
}

/** `ours` and `yardstick` measure one round each, in the same unit. */
export async function compare(
  rounds: number,
  ours: () => Promise<number>,
  yardstick: () => Promise<number>
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

/** Requests a second of the server against bare node:http that sends the recorded answer to the middle one of the requests. */
export async function compareHttp(question: HttpQuestion): Promise<HttpComparison> {
  const { server, connections, rounds, seconds } = question
  const sample = question.requests[Math.floor(question.requests.length / 2)]!
  const answer = await recordAnswer(server.url, sample)
  const bare = await startBare(answer.file, question.parses)
  const requests = new RequestFile(question.requests)
  const cpu = { ours: [] as number[], yardstick: [] as number[] }
  const round = async (target: ServerProcess, used: number[]): Promise<number> => {
    const before = target.cpuMicroseconds()
    const result: LoadResult = await load({ url: target.url, connections, seconds, requests })
    used.push((target.cpuMicroseconds() - before) / result.requests)
    return result.requestsPerSecond
  }
  try {
    await load({ url: server.url, connections, seconds, requests })
    await load({ url: bare.url, connections, seconds: 1, requests })
    const comparison = await compare(
      rounds,
      () => round(server, cpu.ours),
      () => round(bare, cpu.yardstick)
    )
    return {
      ...comparison,
      cpu: { ours: figure(cpu.ours).median, yardstick: figure(cpu.yardstick).median },
      answerBytes: answer.bytes
    }
  } finally {
    requests.remove()
    await bare.stop()
  }
}

/** Headers that node:http writes by itself. */
const ownHeaders = new Set(['date', 'connection', 'keep-alive'])

async function recordAnswer(url: string, { method, path, headers, body }: PreparedRequest) {
  const response = await fetch(url + path, { method, headers: { ...headers, 'accept-encoding': 'identity' }, ...(body !== undefined && { body }) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`)
  const kept = [...response.headers].filter(([name]) => !ownHeaders.has(name))
  const file = join(mkdtempSync(join(tmpdir(), 'footfall-bench-')), 'answer.json')
  writeFileSync(file, JSON.stringify({ status: response.status, headers: Object.fromEntries(kept), body: text }))
  return { file, bytes: Buffer.byteLength(text) }
}
