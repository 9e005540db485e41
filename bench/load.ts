/** Load over loopback: wrk (Debian's package) sends prepared requests, so that making them costs the machine nothing. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface Load {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  readonly requests: RequestFile
}

export interface LoadResult {
  readonly requestsPerSecond: number
  readonly requests: number
  /** Of the answers, headers included. */
  readonly bytesPerRequest: number
  /** Latencies in milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly max: number
}

const run = promisify(execFile)

/** Throws when a request failed or was refused: a fast error is not an answer. */
export async function load({ url, connections, seconds, requests }: Load): Promise<LoadResult> {
  const script = join(import.meta.dirname, 'requests.lua')
  const sizes = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s']
  const { stdout } = await run('wrk', [...sizes, '-s', script, url, '--', requests.path], {
    maxBuffer: 2 ** 24,
  })
  const line = /RESULT (.*)/.exec(stdout)?.[1]
  if (line === undefined) throw new Error(`wrk printed no result:\n${stdout}`)
  const result = JSON.parse(line) as Record<
    'requests' | 'microseconds' | 'bytes' | 'p50' | 'p99' | 'max' | 'failed',
    number
  >
  if (result.failed > 0) throw new Error(`${result.failed} of ${result.requests} requests to ${url} failed`)
  return {
    requests: result.requests,
    bytesPerRequest: result.bytes / result.requests,
    requestsPerSecond: (result.requests / result.microseconds) * 1e6,
    p50: result.p50 / 1000,
    p99: result.p99 / 1000,
    max: result.max / 1000,
  }
}

/** The version of wrk; throws when it is not installed. */
export async function loadGenerator(): Promise<string> {
  // `wrk -v` prints its version and ends with 1.
  const { stdout } = await run('wrk', ['-v']).catch(error => {
    if (error.code === 'ENOENT') throw new Error('The benchmarks need wrk: apt-get install wrk')
    return error as { stdout: string }
  })
  return stdout.split(' [')[0]!.trim()
}

export interface PreparedRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Requests in a file of their own, as they go over the wire. */
export class RequestFile {
  readonly #folder = mkdtempSync(join(tmpdir(), 'pugmark-bench-'))
  readonly path = join(this.#folder, 'requests')

  constructor(requests: readonly PreparedRequest[]) {
    writeFileSync(this.path, requests.map(toWire).join('\0'))
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true })
  }
}

function toWire({ method, path, headers, body }: PreparedRequest): string {
  const all = {
    Host: '127.0.0.1',
    ...headers,
    ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}
