/** Starts the writer thread at the first write, sends requests to it in few messages, and bounds how many events wait. */
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

/** Enough for the pages that a thousand busy sites write to. */
const cacheBytesOfServer = 64 * 2 ** 20

/** 4 MiB, the default of SQLite. A larger log would take longer to copy to the main file. */
const logPagesOfServer = 1_000

/** The most events that may wait for the disk. More are refused with OVERLOADED, so that they do not fill the memory. */
const waitingEventsMax = 200_000
const retryAfterSeconds = 5
const fullDiskRetryAfterSeconds = 60

/** The SQLite result codes after which nothing was written and a retry may succeed, with the message for the caller. */
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

  /** Starts the thread before the first write, which is then faster. */
  start(): void {
    if (!this.#closed) this.#thread ??= this.#startThread()
  }

  /**
   * Runs an operation of the writer thread in a transaction. Resolves when it is on disk. `weight` is the number of its events.
   * Rejects with OVERLOADED.
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

  /** Gives the pages of deleted rows back to the disk, and removes deleted data from the files. */
  reclaim(): Promise<void> {
    return this.#closed ? Promise.resolve() : this.#send('reclaim', [], 0)
  }

  /** Finishes all requests, and closes the file. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    // Requests of this turn of the event loop have not been sent yet.
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
      // All requests of one turn of the event loop are sent in one message.
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
      // An exit follows each error. By then a new thread may have replaced this one.
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

// The published package contains JavaScript, so the worker file has the same ending as this file.
const writerThreadFile = new URL(`./writer-thread${import.meta.filename.slice(-3)}`, import.meta.url)

function toError({ message, sqliteCode }: { message: string; sqliteCode: number | null }): Error {
  const passing = passingFailures[sqliteCode ?? -1]
  if (!passing) return new Error(`Storage failed: ${message}`)
  return new AppError('OVERLOADED', `${passing.message}; nothing of this request was recorded.`, {
    retryAfterSeconds: passing.retryAfterSeconds,
    cause: new Error(message),
  })
}
