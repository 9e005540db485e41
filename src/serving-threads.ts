/**
 * The further threads of a server. One is started when those that there are have little time left, so that a server with little to do
 * takes no more memory than one thread needs (row 11 of docs/performance.md); the system gives each thread a part of the connections.
 */
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { ServingThreadData, ServingThreadMessage, ServingThreadOrder } from './serving-thread.ts'

/** What tells how much of its time a thread has used. */
export type LoopPerformance = Pick<typeof performance, 'eventLoopUtilization'>

export interface ServingThreadsParts extends Omit<ServingThreadData, 'peers'> {
  /** Of all, the first one included. */
  readonly most: number
  /** Takes lines of the log. */
  readonly writeLog: (lines: string) => void
  /** Lets a thread write through the first one. */
  readonly serveWriter: (port: MessagePort) => void
  /** Of the writer's event loop; null as long as nothing was written. */
  readonly writerPerformance: () => LoopPerformance | null
  /** Lets a thread share what counts are read from with the first one. */
  readonly shareSpans: (port: MessagePort) => void
  /** Called when one more listens; `serving` of them do now, the first one included. */
  readonly onListening: (serving: number) => void
  /** Called when one could not start; the others go on. */
  readonly onFailed: (error: Error) => void
}

const lookIntervalMs = 500
/** The part of its time in which a busy thread does something. */
const busyFrom = 0.6
/** So many looks in a row must find one busy. */
const busyLooks = 2
/** From here on the writer counts as one of the threads: where it had to wait for its turn, so did all who record (row 7). */
const writerBusyFrom = 0.25

/** Of V8: short-lived objects of a server fit into less than it would take. */
const youngGenerationMib = 12

export class ServingThreads {
  readonly #parts: ServingThreadsParts
  readonly #threads = new Set<Worker>()
  readonly #utilizations = new WeakMap<LoopPerformance, EventLoopUtilization>()
  readonly #timer: NodeJS.Timeout
  #looksBusy = 0
  /** Stays so when one could not: the next one would meet the same. */
  #isStarting = false

  constructor(parts: ServingThreadsParts) {
    this.#parts = parts
    this.#timer = setInterval(() => this.#look(), lookIntervalMs).unref()
  }

  /** Resolves when all have finished what is in flight. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    const closed = Array.from(this.#threads, thread => new Promise(resolve => thread.once('exit', resolve)))
    for (const thread of this.#threads) thread.postMessage('close' satisfies ServingThreadOrder)
    await Promise.all(closed)
  }

  #look(): void {
    const writer = this.#parts.writerPerformance()
    const isWriterBusy = writer !== null && this.#utilizationOf(writer) >= writerBusyFrom
    const serving = [performance, ...Array.from(this.#threads, thread => thread.performance)]
    const busiest = Math.max(...serving.map(this.#utilizationOf))
    const hasRoom = !this.#isStarting && serving.length + Number(isWriterBusy) < this.#parts.most
    this.#looksBusy = hasRoom && busiest >= busyFrom ? this.#looksBusy + 1 : 0
    if (this.#looksBusy >= busyLooks) this.#start()
  }

  /** Since the last look, 0 at the first. */
  readonly #utilizationOf = (source: LoopPerformance): number => {
    const before = this.#utilizations.get(source)
    const now = source.eventLoopUtilization()
    this.#utilizations.set(source, now)
    return before ? source.eventLoopUtilization(now, before).utilization : 0
  }

  #start(): void {
    const { config, version, address, memory, writeLog, serveWriter, onListening, onFailed } = this.#parts
    const peers = this.#connectToAll()
    const workerData: ServingThreadData = { config, version, address, memory, peers }
    const thread = new Worker(threadFile, {
      workerData,
      transferList: peers,
      resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMib },
    })
    this.#threads.add(thread)
    this.#isStarting = true
    this.#looksBusy = 0
    thread.on('message', (message: ServingThreadMessage) => {
      if (message.kind === 'log') writeLog(message.lines)
      else if (message.kind === 'writer') serveWriter(message.port)
      else if (message.kind === 'listening') {
        this.#isStarting = false
        onListening(this.#threads.size + 1)
      } else {
        if (message.error) onFailed(message.error)
        void thread.terminate()
      }
    })
    // As in the first thread: who goes on after an error that nobody foresaw would answer from who knows what.
    thread.on('error', error => {
      throw error
    })
    thread.on('exit', () => this.#threads.delete(thread))
  }

  /** The ends of a further thread. */
  #connectToAll(): MessagePort[] {
    const { port1, port2 } = new MessageChannel()
    this.#parts.shareSpans(port1)
    const others = Array.from(this.#threads, thread => {
      const channel = new MessageChannel()
      thread.postMessage(channel.port1 satisfies ServingThreadOrder, [channel.port1])
      return channel.port2
    })
    return [port2, ...others]
  }
}

// The published package holds JavaScript: there the neighbour ends as this file does.
const threadFile = new URL(`./serving-thread${import.meta.filename.slice(-3)}`, import.meta.url)
