/** Opens a connection that only reads. */
import { DatabaseSync } from 'node:sqlite'
import { busyTimeoutMs } from './schema.ts'

/** Answers are remembered above: few pages of the file need to stay in memory. */
const cacheKib = 16_384

export function openForReading(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs })
  database.exec(`PRAGMA cache_size = -${cacheKib}`)
  return database
}
