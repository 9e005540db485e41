/** Runs queries that read many rows in a separate thread, so that no other request waits for them. */
import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { EventReader } from './event-reader.ts'
import { openForReading } from './open-reader.ts'

export interface ReaderSettings {
  readonly file: string
}

/** The queries that this thread can run. */
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
  // Long queries do not read daily totals, so the cache needs no memory.
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
