/** Load over loopback from a process of its own, and what it cost the server that it asked. */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { ServerProcess } from './processes.ts'
import type { PreparedRequest } from './requests.ts'

export interface LoadJob {
  readonly port: number
  readonly connections: number
  /** How long new requests are sent. */
  readonly seconds: number
  readonly requests: readonly PreparedRequest[]
  /** Whether the load ends when each request was sent once; else they begin anew. */
  readonly ends: boolean
}

export interface LoadReport {
  readonly requests: number
  readonly seconds: number
  /** Of all answers, heads included. */
  readonly bytes: number
  /** Latencies in milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface LoadResult extends LoadReport {
  readonly requestsPerSecond: number
  /** CPU time of the server a request, in microseconds. */
  readonly cpuPerRequest: number
}

type Message = { ready: true } | { result: LoadReport } | { failed: string }

/** Throws when a request failed or was refused: a fast error is not an answer. */
export function load(server: ServerProcess, job: Omit<LoadJob, 'port'>): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, 'load-process.ts'), { serialization: 'advanced' })
    let cpuBefore = 0
    child.on('error', reject)
    child.on('exit', code => reject(new Error(`the load process ended with ${code}`)))
    child.on('message', (message: Message) => {
      if ('ready' in message) {
        cpuBefore = server.cpuMicroseconds()
        child.send('go')
      } else if ('result' in message) {
        const { result } = message
        resolve({
          ...result,
          requestsPerSecond: result.requests / result.seconds,
          cpuPerRequest: (server.cpuMicroseconds() - cpuBefore) / result.requests,
        })
      } else {
        child.kill()
        reject(new Error(`load on port ${server.port}: ${message.failed}`))
      }
    })
    child.send({ port: server.port, ...job } satisfies LoadJob)
  })
}
