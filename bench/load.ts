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

/** A client process, used for one load after the other. */
export class LoadClient {
  readonly #child = fork(join(import.meta.dirname, 'load-process.ts'), { serialization: 'advanced' })

  /** Throws when a request failed or was refused: a fast error is not an answer. */
  load(server: ServerProcess, job: Omit<LoadJob, 'port'>): Promise<LoadResult> {
    const child = this.#child
    return new Promise((resolve, reject) => {
      let cpuBefore = 0
      const onExit = (code: number | null): void => reject(new Error(`the load process ended with ${code}`))
      const onMessage = (message: Message): void => {
        if ('ready' in message) {
          cpuBefore = server.cpuMicroseconds()
          child.send('go')
          return
        }
        child.off('message', onMessage).off('exit', onExit)
        if ('failed' in message) {
          reject(new Error(`load on port ${server.port}: ${message.failed}`))
          return
        }
        const { result } = message
        resolve({
          ...result,
          requestsPerSecond: result.requests / result.seconds,
          cpuPerRequest: (server.cpuMicroseconds() - cpuBefore) / result.requests,
        })
      }
      child.on('message', onMessage).on('exit', onExit)
      child.send({ port: server.port, ...job } satisfies LoadJob)
    })
  }

  end(): void {
    this.#child.kill()
  }
}
