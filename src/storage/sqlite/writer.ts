/**
 * This side of the writer thread: starts it at the first write, or has another thread of the process start it; hands requests over
 * in few messages, bounds what waits.
 */
import { type MessagePort, Worker } from 'node:worker_threads'
import { AppError } from '../../domain/errors.ts'
import type { AppendOutcome } from '../event-store.ts'
import { busyTimeoutMs } from './sqlite-schema.ts'
import type {
  OperationName,
  WriterOperations,
  WriterReply,
  WriterRequest,
  WriterSettings,
} from './sqlite-writer-thread.ts'

/** Chunks and roll-ups of a thousand busy sites. */
const cacheBytesOfServer = 64 * 2 ** 20

/** 4 MiB, as SQLite has it: readers may wait for that (row 8 of docs/performance.md). */
const logPagesOfServer = 1_000

/** More than this in front of the disk is refused with OVERLOADED instead of filling the memory. */
const waitingEventsMax = 200_000
const retryAfterSeconds = 5

/** So many requests are worth waking a thread (row 7 of docs/performance.md). */
const postedMax = 16
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

export interface WriterOptions extends Partial<Omit<WriterSettings, 'file'>> {
  /** For a thread that writes through the writer of another one: the way there, whose other end goes to `serve` of that. */
  readonly connect?: () => MessagePort
}

export class SqliteWriter {
  readonly #connect: () => Worker | MessagePort
  readonly #onCommitted: () => void
  #thread: Worker | MessagePort | null = null
  #nextId = 1
  #waiting = new Map<number, Waiting>()
  #waitingEvents = 0
  #outbox: WriterRequest[] = []
  #transfers: ArrayBuffer[] = []
  /** Whether a request of the outbox is no batch of events, which could wait for the next commit. */
  #isUrgent = false
  #isPosting = false
  #closed = false
  readonly #postGathered = (): void => {
    this.#isPosting = false
    this.#postIfDue()
  }

  /** `onCommitted` is called before the callers of a commit hear of it; `patienceMs` is for transactions of other processes. */
  constructor(file: string, onCommitted: () => void, { connect, ...settings }: WriterOptions = {}) {
    const workerData: WriterSettings = {
      file,
      patienceMs: busyTimeoutMs,
      cacheBytes: cacheBytesOfServer,
      logPages: logPagesOfServer,
      ...settings,
    }
    this.#connect = connect ?? (() => new Worker(writerThreadFile, { workerData }))
    this.#onCommitted = onCommitted
  }

  /**
   * Starts the thread before anything is handed over. The first buffer of a process that moves to another thread makes V8 forget all code
   * compiled for buffers that stay: it is one of no use, before there is such code, and not that of the first batch (row 9 of
   * docs/performance.md).
   */
  start(): void {
    if (this.#closed) return
    structuredClone(null, { transfer: [new ArrayBuffer(1)] })
    this.#thread ??= this.#startThread()
  }

  /** Lets another thread of the process write through the same writer; ends with this one. */
  serve(port: MessagePort): void {
    if (this.#closed) port.close()
    else {
      this.#thread ??= this.#startThread()
      this.#thread.postMessage(port, [port])
    }
  }

  /** Null before the thread has started, and of one that another thread has started. */
  get performance(): Worker['performance'] | null {
    return this.#thread instanceof Worker ? this.#thread.performance : null
  }

  /**
   * Runs an operation of the writer thread in a transaction; resolves when it is on disk. `weight` is the number of events
   * handed over. Throws OVERLOADED.
   */
  run<Name extends OperationName>(
    name: Name,
    values: Readonly<Parameters<WriterOperations[Name]>>,
    { weight = 0, transfers = [] }: { weight?: number; transfers?: readonly ArrayBuffer[] } = {},
  ): Promise<ReturnType<WriterOperations[Name]>> {
    if (this.#closed) return Promise.reject(new Error('The store is closed.'))
    if (weight > 0 && this.#waitingEvents > 0 && this.#waitingEvents + weight > waitingEventsMax) {
      const message = `${this.#waitingEvents} events are waiting for the disk; this server takes no more for the moment.`
      return Promise.reject(new AppError('OVERLOADED', message, { retryAfterSeconds }))
    }
    this.#transfers.push(...transfers)
    return this.#send(name, values, weight)
  }

  /** Finishes what was handed over, and closes the file. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    // What was handed over in this very turn is still on this side.
    this.#post()
    const thread = this.#thread
    if (!thread) return
    const exited = new Promise<void>(resolve => onEnd(thread, resolve))
    await this.#send('close', [], 0)
    await exited
  }

  #send<Value>(name: WriterRequest[1], values: readonly unknown[], weight: number): Promise<Value> {
    return new Promise<Value>((resolve, reject) => {
      const id = this.#nextId++
      this.#waiting.set(id, { resolve, reject, weight })
      this.#waitingEvents += weight
      this.#outbox.push([id, name, ...values])
      this.#isUrgent ||= name !== 'append'
      // Requests of one turn of the event loop, or single events of one go, are one message, but for very many: the writer begins while the rest comes in.
      if (this.#outbox.length >= postedMax) this.#post()
      if (this.#isPosting) return
      this.#isPosting = true
      if (name === 'appendOne') queueMicrotask(this.#postGathered)
      else setImmediate(this.#postGathered)
    })
  }

  /**
   * Batches wait until the writer has answered, or has no more of them than wait here: what has gathered meanwhile shares a commit, and
   * what it writes for a site (row 6 of docs/performance.md). Single events that came in together are recorded in one go, and go over right
   * after it: held back, even until the network was looked at once more, they left the writer with nothing to go on with (row 7).
   */
  #postIfDue(): void {
    const withWriter = this.#waiting.size - this.#outbox.length
    if (this.#isUrgent || this.#outbox.length >= withWriter) this.#post()
  }

  #post(): void {
    if (this.#outbox.length === 0) return
    this.#thread ??= this.#startThread()
    const requests = this.#outbox
    const transfers = this.#transfers
    this.#outbox = []
    this.#transfers = []
    this.#isUrgent = false
    this.#thread.postMessage(requests, transfers)
  }

  #startThread(): Worker | MessagePort {
    const thread = this.#connect()
    thread.on('message', (replies: WriterReply[]) => {
      this.#onCommitted()
      for (const reply of replies) this.#settle(reply)
      this.#postIfDue()
    })
    const fail = (error: Error): void => {
      // After an error comes the exit; by then another thread may be at work.
      if (this.#thread !== thread) return
      const waiting = [...this.#waiting.values()]
      this.#waiting.clear()
      this.#waitingEvents = 0
      this.#outbox = []
      this.#transfers = []
      this.#isUrgent = false
      this.#thread = null
      for (const { reject } of waiting) reject(error)
    }
    thread.on('error', fail)
    onEnd(thread, () => fail(new Error('The writer thread ended.')))
    return thread
  }

  #settle(reply: WriterReply): void {
    if ('recorded' in reply) for (const id of reply.recorded) this.#take(id)?.resolve(recorded as never)
    else if ('error' in reply) this.#take(reply.id)?.reject(toError(reply.error))
    else this.#take(reply.id)?.resolve(reply.value as never)
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    if (!waiting) return undefined
    this.#waiting.delete(id)
    this.#waitingEvents -= waiting.weight
    return waiting
  }
}

/** Worker and MessagePort are alike but for what they call their end. */
const onEnd = (thread: Worker | MessagePort, call: () => void): void => {
  thread.once(thread instanceof Worker ? 'exit' : 'close', call)
}

const recorded: AppendOutcome = { outcome: 'recorded' }

// The published package holds JavaScript: there the neighbour ends as this file does.
const writerThreadFile = new URL(`./sqlite-writer-thread${import.meta.filename.slice(-3)}`, import.meta.url)

function toError({ message, sqliteCode }: { message: string; sqliteCode: number | null }): Error {
  const passing = passingFailures[sqliteCode ?? -1]
  if (!passing) return new Error(`Storage failed: ${message}`)
  return new AppError('OVERLOADED', `${passing.message}; nothing of this request was recorded.`, {
    retryAfterSeconds: passing.retryAfterSeconds,
    cause: new Error(message),
  })
}
