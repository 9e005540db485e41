/** Starts the reader thread with the first long query, sends queries to it, and ends it when the store closes. */
import { Worker } from 'node:worker_threads'
import type { EventReader } from './event-reader.ts'
import type { LongQuestion, ReaderReply } from './reader-thread.ts'

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

export class LongQuestions {
  readonly #file: string
  #thread: Worker | null = null
  #nextId = 1
  #waiting = new Map<number, Waiting>()

  constructor(file: string) {
    this.#file = file
  }

  ask<Question extends LongQuestion>(
    question: Question,
    ...values: Parameters<EventReader[Question]>
  ): Promise<ReturnType<EventReader[Question]>> {
    this.#thread ??= this.#startThread()
    this.#thread.ref()
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#thread!.postMessage({ id, question, values })
    })
  }

  async close(): Promise<void> {
    const thread = this.#thread
    if (!thread) return
    thread.ref()
    const exited = new Promise<void>(resolve => thread.once('exit', () => resolve()))
    thread.postMessage({ id: 0, question: null, values: [] })
    await exited
  }

  #startThread(): Worker {
    const thread = new Worker(readerThreadFile, { workerData: { file: this.#file } })
    thread.on('message', (reply: ReaderReply) => {
      const waiting = this.#waiting.get(reply.id)
      this.#waiting.delete(reply.id)
      // A thread that has nothing to do must not keep the process alive.
      if (this.#waiting.size === 0) thread.unref()
      if ('error' in reply) waiting?.reject(new Error(`Storage failed: ${reply.error}`))
      else waiting?.resolve(reply.value as never)
    })
    const fail = (error: Error): void => {
      if (this.#thread === thread) this.#thread = null
      for (const { reject } of this.#waiting.values()) reject(error)
      this.#waiting.clear()
    }
    thread.on('error', fail)
    thread.once('exit', () => fail(new Error('The reader thread ended.')))
    return thread
  }
}

// The published package contains JavaScript, so the worker file has the same ending as this file.
const readerThreadFile = new URL(`./reader-thread${import.meta.filename.slice(-3)}`, import.meta.url)
