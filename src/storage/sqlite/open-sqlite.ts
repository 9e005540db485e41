/** Opens the embedded engine: one file, a connection for reading in this thread, a writer thread when something is written. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Stores } from '../stores.ts'
import { createAccountStore } from './account-store.ts'
import { DataVersion } from './data-version.ts'
import { createEventStore } from './event-store.ts'
import { LongQuestions } from './long-questions.ts'
import { openForReading } from './open-reader.ts'
import { createSchema } from './schema.ts'
import { UnrecordedIntakes } from './unrecorded-intakes.ts'
import { Writer, type WriterOptions } from './writer.ts'

export interface SqliteOptions {
  /** Created when it is missing, with its folder. */
  readonly file: string
  /** Bound of the daily totals kept in memory. */
  readonly cacheBytes?: number
  /** What the writer does otherwise than in a server. */
  readonly writing?: WriterOptions
}

/** Throws when the file cannot be opened or is of another version. */
export function openSqlite({ file, cacheBytes = 128 * 2 ** 20, writing }: SqliteOptions): Stores {
  mkdirSync(dirname(file), { recursive: true })
  createSchema(file)
  const reader = openForReading(file)
  const dataVersion = new DataVersion(reader)
  const writer = new Writer(file, writing)
  const intakes = new UnrecordedIntakes(writer)
  const long = new LongQuestions(file)
  return {
    events: createEventStore({ reader, writer, long, intakes, dataVersion, cacheBytes }),
    accounts: createAccountStore(reader, writer, dataVersion),
    prepareRecording: () => writer.start(),
    async close() {
      await intakes.flush()
      await writer.close()
      await long.close()
      reader.close()
    },
  }
}
