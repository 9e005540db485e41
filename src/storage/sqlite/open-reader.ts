/** Opens a connection that only reads. */
import { DatabaseSync } from 'node:sqlite'
import { busyTimeoutMs } from './schema.ts'

/** Small, because answers and totals are cached elsewhere. */
const cacheKib = 16_384

export function openForReading(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs })
  database.exec(`PRAGMA cache_size = -${cacheKib}`)
  return database
}
