/** This side of the writer thread: starts it at the first write, hands requests over in few messages, and bounds what waits. */
import { Worker } from 'node:worker_threads'
import { AppError } from '../../domain/errors.ts'
import { busyTimeoutMs } from './schema.ts'
import type {
  OperationName,
  WriterOperations,
  WriterReply,
  WriterRequest,
  WriterSettings,
} from './writer-thread.ts'

/** The pages that a thousand busy sites write to. */
const cacheBytesOfServer = 64 * 2 ** 20

/** 4 MiB, as SQLite has it: readers may wait while the log goes to the main file. */
const logPagesOfServer = 1_000

/** More than this in front of the disk is refused with OVERLOADED instead of filling the memory. */
const waitingEventsMax = 200_000
const retryAfterSeconds = 5
const fullDiskRetryAfterSeconds = 60

/** What SQLite says when nothing was written and a later try may succeed, with what a caller is told. */
const passingFailures: Readonly<Record<number, { message: string; retryAfterSeconds: number }>> = {
  5: { message: 'Another process holds the storage', retryAfterSeconds },
  10: { message: 'The storage cannot be written', retryAfterSeconds: fullDiskRetryAfterSeconds },
  13: { message: 'The storage is full', retryAfterSeconds: fullDiskRetryAfterSeconds },
}

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
  readonly weight: number
}

export type WriterOptions = Partial<Omit<WriterSettings, 'file'>>

export class Writer {
  readonly #settings: WriterSettings
  #thread: Worker | null = null
  #nextId = 1
  #waiting = new Map<number, Waiting>()
  #waitingEvents = 0
  #outbox: WriterRequest[] = []
  #closed = false

  constructor(file: string, options: WriterOptions = {}) {
    this.#settings = {
      file,
      patienceMs: busyTimeoutMs,
      cacheBytes: cacheBytesOfServer,
      logPages: logPagesOfServer,
      ...options,
    }
  }

  /** Starts the thread before anything is handed over. */
  start(): void {
    if (!this.#closed) this.#thread ??= this.#startThread()
  }

  /**
   * Runs an operation of the writer thread in a transaction; resolves when it is on disk. `weight` is the number of events
   * handed over. Throws OVERLOADED.
   */
  run<Name extends OperationName>(
    name: Name,
    values: Readonly<Parameters<WriterOperations[Name]>>,
    weight = 0,
  ): Promise<ReturnType<WriterOperations[Name]>> {
    if (this.#closed) return Promise.reject(new Error('The store is closed.'))
    if (weight > 0 && this.#waitingEvents > 0 && this.#waitingEvents + weight > waitingEventsMax) {
      const message = `${this.#waitingEvents} events are waiting for the disk; this server takes no more for the moment.`
      return Promise.reject(new AppError('OVERLOADED', message, { retryAfterSeconds }))
    }
    return this.#send(name, values, weight)
  }

  /** Gives the pages of deleted rows back to the disk, and removes what they held from the files. */
  reclaim(): Promise<void> {
    return this.#closed ? Promise.resolve() : this.#send('reclaim', [], 0)
  }

  /** Finishes what was handed over, and closes the file. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    // What was handed over in this very turn is still on this side.
    this.#post()
    const thread = this.#thread
    if (!thread) return
    const exited = new Promise<void>(resolve => thread.once('exit', () => resolve()))
    await this.#send('close', [], 0)
    await exited
  }

  #send<Value>(name: WriterRequest[1], values: readonly unknown[], weight: number): Promise<Value> {
    return new Promise<Value>((resolve, reject) => {
      const id = this.#nextId++
      this.#waiting.set(id, { resolve, reject, weight })
      this.#waitingEvents += weight
      // Requests of one turn of the event loop are one message.
      if (this.#outbox.push([id, name, ...values]) === 1) setImmediate(() => this.#post())
    })
  }

  #post(): void {
    if (this.#outbox.length === 0) return
    this.#thread ??= this.#startThread()
    const requests = this.#outbox
    this.#outbox = []
    this.#thread.postMessage(requests)
  }

  #startThread(): Worker {
    const thread = new Worker(writerThreadFile, { workerData: this.#settings })
    thread.on('message', (replies: WriterReply[]) => {
      for (const reply of replies) this.#settle(reply)
    })
    const fail = (error: Error): void => {
      // After an error comes the exit; by then another thread may be at work.
      if (this.#thread !== thread) return
      const waiting = [...this.#waiting.values()]
      this.#waiting.clear()
      this.#waitingEvents = 0
      this.#outbox = []
      this.#thread = null
      for (const { reject } of waiting) reject(error)
    }
    thread.on('error', fail)
    thread.once('exit', () => fail(new Error('The writer thread ended.')))
    return thread
  }

  #settle(reply: WriterReply): void {
    const waiting = this.#waiting.get(reply.id)
    if (!waiting) return
    this.#waiting.delete(reply.id)
    this.#waitingEvents -= waiting.weight
    if ('error' in reply) waiting.reject(toError(reply.error))
    else waiting.resolve(reply.value as never)
  }
}

// The published package holds JavaScript: there the neighbour ends as this file does.
const writerThreadFile = new URL(`./writer-thread${import.meta.filename.slice(-3)}`, import.meta.url)

function toError({ message, sqliteCode }: { message: string; sqliteCode: number | null }): Error {
  const passing = passingFailures[sqliteCode ?? -1]
  if (!passing) return new Error(`Storage failed: ${message}`)
  return new AppError('OVERLOADED', `${passing.message}; nothing of this request was recorded.`, {
    retryAfterSeconds: passing.retryAfterSeconds,
    cause: new Error(message),
  })
}
