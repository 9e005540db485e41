/** Answers questions that read many rows, in a thread of its own, so that nobody else waits for them. */
import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { EventReader } from './event-reader.ts'
import { openForReading } from './open-reader.ts'

export interface ReaderSettings {
  readonly file: string
}

/** The questions that may be handed over. */
export type LongQuestion = 'breakdown' | 'attribution' | 'list' | 'exportSite'

export interface ReaderRequest {
  readonly id: number
  readonly question: LongQuestion
  readonly values: readonly unknown[]
}

export type ReaderReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string }

if (parentPort) {
  const database: DatabaseSync = openForReading((workerData as ReaderSettings).file)
  // Long questions read rows, not totals: there is nothing to keep.
  const reader = new EventReader(database, 0)
  const port = parentPort
  port.on(
    'message',
    ({ id, question, values }: ReaderRequest | { id: number; question: null; values: [] }) => {
      if (question === null) {
        database.close()
        port.close()
        return
      }
      const ask = reader[question].bind(reader) as (...values: readonly unknown[]) => unknown
      try {
        port.postMessage({ id, value: ask(...values) } satisfies ReaderReply)
      } catch (error) {
        port.postMessage({ id, error: String((error as Error).stack) } satisfies ReaderReply)
      }
    },
  )
}
