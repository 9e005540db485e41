/** Stores how far each log has been imported. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { ImportProgress } from '../event-store.ts'

export class ImportPositions {
  readonly #put: StatementSync

  constructor(database: DatabaseSync) {
    this.#put = database.prepare(
      `INSERT OR REPLACE INTO import_progress
       (site, id, "offset", head_length, head_hash, window_length, window_hash, context, lines, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
  }

  put(site: number, progress: ImportProgress): void {
    const { id, offset, headLength, headHash, windowLength, windowHash, context, lines, updatedAt } = progress
    this.#put.run(site, id, offset, headLength, headHash, windowLength, windowHash, context, lines, updatedAt)
  }
}

export const toImportProgress = (row: Record<string, SQLInputValue>): ImportProgress => ({
  id: String(row.id),
  offset: Number(row.offset),
  headLength: Number(row.head_length),
  headHash: String(row.head_hash),
  windowLength: Number(row.window_length),
  windowHash: String(row.window_hash),
  context: row.context === null ? null : String(row.context),
  lines: Number(row.lines),
  updatedAt: Number(row.updated_at),
})
