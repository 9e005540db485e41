/** The client process: keep-alive connections that each send the next request when their answer has come. */
import { connect, type Socket } from 'node:net'
import { AnswerReader } from './answer-reader.ts'
import type { LoadJob, LoadReport } from './load.ts'
import { WireRequest } from './requests.ts'

const answerMsMax = 120_000

process.once('message', takeJob)

function takeJob(job: unknown): void {
  start(job as LoadJob).catch(error => fail(String(error)))
}

/** Says `ready` when all connections stand, waits for `go`, sends a report, and waits for the next job. */
async function start({ port, connections, seconds, requests, ends }: LoadJob): Promise<void> {
  const wires = requests.map(request => new WireRequest(request))
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)))
  process.send!({ ready: true })
  process.once('message', () => {
    run(sockets)
  })

  function run(all: readonly Socket[]): void {
    const latencies: number[] = []
    const startMs = performance.now()
    const endMs = startMs + seconds * 1000
    let bytes = 0
    let next = 0
    let open = all.length
    for (const socket of all) {
      let sentMs = 0
      const send = (): void => {
        const isOver = performance.now() >= endMs || (ends && next >= wires.length)
        if (isOver) {
          socket.destroy()
          if (--open === 0) report()
          return
        }
        const wire = wires[next++ % wires.length]!
        const whole = wire.next()
        sentMs = performance.now()
        socket.write(whole)
      }
      const reader = new AnswerReader({
        onAnswer(status, answerBytes) {
          if (status < 200 || status > 299) fail(`an answer with status ${status}`)
          latencies.push(performance.now() - sentMs)
          bytes += answerBytes
          send()
        },
      })
      socket.on('data', piece => reader.push(piece as Buffer))
      socket.on('close', () => {
        if (open > 0 && !socket.destroyed) fail('a connection was closed')
      })
      socket.on('end', () => fail('the server closed a connection'))
      send()
    }

    function report(): void {
      const requests = latencies.length
      const wallSeconds = (performance.now() - startMs) / 1000
      latencies.sort((a, b) => a - b)
      const atShare = (share: number): number =>
        latencies[Math.min(requests - 1, Math.floor(requests * share))]!
      const result: LoadReport = {
        requests,
        seconds: wallSeconds,
        bytes,
        p50: atShare(0.5),
        p99: atShare(0.99),
        max: latencies[requests - 1]!,
      }
      process.once('message', takeJob)
      process.send!({ result })
    }
  }
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.setTimeout(answerMsMax, () => fail('no answer for two minutes'))
    socket.once('error', reject)
    socket.once('connect', () => resolve(socket))
  })
}

function fail(reason: string): void {
  process.send!({ failed: reason }, () => process.exit(1))
}
