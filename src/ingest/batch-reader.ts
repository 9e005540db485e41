/** Reads and classifies batches: small ones in this thread, large ones in a thread that starts with the first of them. */
import { Worker } from 'node:worker_threads'
import { AppError } from '../domain/errors.ts'
import type { BatchReply, BatchRequest, BatchThreadSettings } from './batch-thread.ts'
import { classifyBatch, type SentBatch } from './classify-batch.ts'
import type { BatchResult } from './incoming-batch.ts'
import type { IngestParts } from './pipeline.ts'

/** About a thousand hits, which take some milliseconds. */
const smallBytesMax = 256 * 1024

interface Waiting {
  readonly resolve: (result: BatchResult) => void
  readonly reject: (error: Error) => void
}

export class BatchReader {
  readonly #parts: IngestParts
  readonly #settings: BatchThreadSettings
  #thread: Worker | null = null
  #nextId = 1
  readonly #waiting = new Map<number, Waiting>()

  constructor(parts: IngestParts, settings: BatchThreadSettings) {
    this.#parts = parts
    this.#settings = settings
  }

  /** Rejects as classifyBatch throws. */
  async read(batch: SentBatch): Promise<BatchResult> {
    if (batch.body.length <= smallBytesMax) return classifyBatch(this.#parts, batch)
    this.#thread ??= this.#startThread()
    this.#thread.ref()
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#thread!.postMessage({ id, batch } satisfies BatchRequest)
    })
  }

  async close(): Promise<void> {
    this.#thread?.ref()
    await this.#thread?.terminate()
  }

  #startThread(): Worker {
    const thread = new Worker(threadFile, { workerData: this.#settings })
    thread.on('message', (reply: BatchReply) => {
      const waiting = this.#waiting.get(reply.id)
      this.#waiting.delete(reply.id)
      // A thread that has nothing to do must not keep the process alive.
      if (this.#waiting.size === 0) thread.unref()
      if ('result' in reply) waiting?.resolve(reply.result)
      else waiting?.reject(reply.code ? new AppError(reply.code, reply.message) : new Error(reply.message))
    })
    const fail = (error: Error): void => {
      if (this.#thread === thread) this.#thread = null
      for (const { reject } of this.#waiting.values()) reject(error)
      this.#waiting.clear()
    }
    thread.on('error', fail)
    thread.once('exit', () => fail(new Error('The thread that reads large batches ended.')))
    return thread
  }
}

// The published package holds JavaScript: there the neighbour ends as this file does.
const threadFile = new URL(`./batch-thread${import.meta.filename.slice(-3)}`, import.meta.url)
