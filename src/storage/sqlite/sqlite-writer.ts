/** This side of the writer thread: starts it at the first write, hands requests over in one message a turn, bounds what waits. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { AppError } from '../../domain/errors.ts'
import type { OperationName, WriterOperations, WriterReply, WriterRequest } from './sqlite-writer-thread.ts'

/** More than this in front of the disk is refused with OVERLOADED instead of filling the memory. */
const waitingEventsMax = 200_000
const retryAfterSeconds = 5
const fullDiskRetryAfterSeconds = 60

const sqliteFull = 13
const sqliteIoError = 10

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
  readonly weight: number
}

export class SqliteWriter {
  readonly #file: string
  readonly #onCommitted: () => void
  #thread: Worker | null = null
  #nextId = 1
  #waiting = new Map<number, Waiting>()
  #waitingEvents = 0
  #outbox: WriterRequest[] = []
  #transfers: ArrayBuffer[] = []
  #closed = false

  /** `onCommitted` is called before the callers of a commit hear of it. */
  constructor(file: string, onCommitted: () => void) {
    this.#file = file
    this.#onCommitted = onCommitted
  }

  /**
   * Runs an operation of the writer thread in a transaction; resolves when it is on disk. `weight` is the number of events
   * handed over. Throws OVERLOADED.
   */
  run<Name extends OperationName>(
    name: Name,
    values: Parameters<WriterOperations[Name]>,
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
    if (!this.#thread) return
    const exited = once(this.#thread, 'exit')
    await this.#send('close', [], 0)
    await exited
  }

  #send<Value>(name: WriterRequest['name'], values: readonly unknown[], weight: number): Promise<Value> {
    return new Promise<Value>((resolve, reject) => {
      const id = this.#nextId++
      this.#waiting.set(id, { resolve, reject, weight })
      this.#waitingEvents += weight
      // All requests of one turn of the event loop go over in one message.
      if (this.#outbox.push({ id, name, arguments: values }) === 1) setImmediate(() => this.#post())
    })
  }

  #post(): void {
    this.#thread ??= this.#start()
    const requests = this.#outbox
    const transfers = this.#transfers
    this.#outbox = []
    this.#transfers = []
    this.#thread.postMessage(requests, transfers)
  }

  #start(): Worker {
    const thread = new Worker(new URL(writerThreadFile(), import.meta.url), {
      workerData: { file: this.#file },
    })
    thread.on('message', (replies: WriterReply[]) => {
      this.#onCommitted()
      for (const reply of replies) this.#settle(reply)
    })
    const fail = (error: Error): void => {
      const waiting = [...this.#waiting.values()]
      this.#waiting.clear()
      this.#waitingEvents = 0
      this.#thread = null
      for (const { reject } of waiting) reject(error)
    }
    thread.on('error', fail)
    thread.on('exit', () => fail(new Error('The writer thread ended.')))
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
const writerThreadFile = (): string => `./sqlite-writer-thread${import.meta.filename.slice(-3)}`

function toError({ message, sqliteCode }: { message: string; sqliteCode: number | null }): Error {
  if (sqliteCode !== sqliteFull && sqliteCode !== sqliteIoError)
    return new Error(`Storage failed: ${message}`)
  return new AppError(
    'OVERLOADED',
    'The storage is full or cannot be written; nothing of this request was recorded.',
    {
      retryAfterSeconds: fullDiskRetryAfterSeconds,
      cause: new Error(message),
    },
  )
}
