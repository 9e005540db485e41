/** Stores which ids of a site were recorded together, the time range of those events, and the import that brought them. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

export interface RecordedBatch {
  readonly firstId: number
  readonly lastId: number
  readonly minAt: number
  readonly maxAt: number
  readonly events: number
}

/** Small batches share a row until it has this many events, so that single events do not get a row each. */
const sharedEventsMax = 1_000

export class BatchLog {
  readonly #last: StatementSync
  readonly #extend: StatementSync
  readonly #add: StatementSync

  constructor(database: DatabaseSync) {
    this.#last = database.prepare(
      'SELECT first_id, events, import FROM batch WHERE site = ? ORDER BY first_id DESC LIMIT 1',
    )
    this.#extend = database.prepare(
      `UPDATE batch SET last_id = max(last_id, ?), min_at = min(min_at, ?), max_at = max(max_at, ?), events = events + ?
       WHERE site = ? AND first_id = ?`,
    )
    this.#add = database.prepare(
      'INSERT INTO batch (site, first_id, last_id, min_at, max_at, events, import) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
  }

  /** `importId` is empty for events that no import brought. */
  add(site: number, { firstId, lastId, minAt, maxAt, events }: RecordedBatch, importId: string): void {
    const last = this.#last.get(site)
    const isShared =
      last !== undefined &&
      last.import === importId &&
      Number(last.first_id) < firstId &&
      Number(last.events) + events <= sharedEventsMax
    if (isShared) this.#extend.run(lastId, minAt, maxAt, events, site, Number(last.first_id))
    else this.#add.run(site, firstId, lastId, minAt, maxAt, events, importId)
  }
}
