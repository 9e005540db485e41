/** Opens the embedded engine: one file, a read connection in this thread, and a writer thread that starts with the first write. */
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
  /** The file and its folder are created when they are missing. */
  readonly file: string
  /** The most memory that daily totals may take. */
  readonly cacheBytes?: number
  /** Settings of the writer that differ from those of a server. */
  readonly writing?: WriterOptions
}

/** Throws when the file cannot be opened or belongs to another version. */
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
      if (reader.isOpen) reader.close()
    },
  }
}
