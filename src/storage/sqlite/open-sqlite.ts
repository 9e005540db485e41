/** Opens the embedded engine: one file, a connection for reading in this thread, a writer thread when something is written. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { MessagePort, Worker } from 'node:worker_threads'
import type { Stores } from '../stores.ts'
import type { SpanExchange } from './days/sqlite-span-exchange.ts'
import { IntakeNotes } from './health/sqlite-intake-notes.ts'
import { createSqliteAccountStore } from './sqlite-account-store.ts'
import { createSqliteEventStore } from './sqlite-event-store.ts'
import { Freshness } from './sqlite-freshness.ts'
import { busyTimeoutMs, migrate } from './sqlite-schema.ts'
import { SqliteWriter, type WriterOptions } from './sqlite-writer.ts'

export interface SqliteOptions {
  /** Created when it is missing, with its folder. */
  readonly file: string
  /** Bound of the roll-ups kept in memory. */
  readonly summaryBytesMax?: number
  /** With the other threads of the process that have opened the file. */
  readonly spans?: SpanExchange
  /** Called before a file of an older Pugmark is changed, which takes seconds for each ten million events. */
  readonly onUpgrade?: () => void
  /** What the writer does otherwise than in a server. */
  readonly writing?: Pick<WriterOptions, 'cacheBytes' | 'logPages' | 'connect'>
}

export interface SqliteStores extends Stores {
  /** Lets the stores of another thread of this process, opened with `connect`, write through the writer of these. */
  serveWriter(port: MessagePort): void
  /** Tells how much of its time the writer of these stores has used; null before it has started. */
  writerPerformance(): Worker['performance'] | null
  /** What one of two threads has read for counts serves both; needs `spans`. */
  shareSpans(port: MessagePort): void
}

/** Throws when the file cannot be opened or was written by a newer Pugmark. */
export function openSqlite({
  file,
  summaryBytesMax = 128 * 2 ** 20,
  spans,
  onUpgrade,
  writing = {},
}: SqliteOptions): SqliteStores {
  mkdirSync(dirname(file), { recursive: true })
  migrate(file, onUpgrade)
  const reader = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs })
  // 8 MiB, in KiB. Counts stay in memory as spans: the pages that they were read from need not (row 11 of docs/performance.md).
  reader.exec('PRAGMA cache_size = -8192')
  const freshness = new Freshness(reader)
  const writer = new SqliteWriter(file, () => freshness.expire(), writing)
  const notes = new IntakeNotes(writer)
  return {
    events: createSqliteEventStore(reader, writer, freshness, notes, summaryBytesMax, spans),
    accounts: createSqliteAccountStore(reader, writer, freshness),
    beginRequest: () => freshness.hold(),
    prepareRecording: () => writer.start(),
    serveWriter: port => writer.serve(port),
    writerPerformance: () => writer.performance,
    shareSpans: port => spans?.connect(port),
    async close() {
      await notes.flush()
      await writer.close()
      spans?.close()
      reader.close()
    },
  }
}
