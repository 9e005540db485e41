/** Keeps the data version of each site, whether it is removed, and which sources have recorded for it. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

export interface SiteState {
  readonly isRemoved: boolean
  /** Sources that have recorded events with a client, one bit each. */
  readonly sources: number
}

/** A revision is at least the time in microseconds. So a restored backup never repeats a revision that a client may remember. */
const leastRevision = (now: number): number => now * 1_000

export class SiteStates {
  readonly #find: StatementSync
  readonly #change: StatementSync

  constructor(database: DatabaseSync) {
    this.#find = database.prepare('SELECT removed, sources FROM site_state WHERE site = ?')
    this.#change = database.prepare(
      `INSERT INTO site_state (site, revision, removed, sources) VALUES (?, ?, ?, ?)
       ON CONFLICT (site) DO UPDATE SET revision = max(revision + 1, excluded.revision),
         removed = max(removed, excluded.removed), sources = sources | excluded.sources`,
    )
  }

  of(site: number): SiteState {
    const row = this.#find.get(site)
    return { isRemoved: row?.removed === 1, sources: Number(row?.sources ?? 0) }
  }

  /** Call this when any answer about the site may have changed. */
  touch(site: number, now: number, sources = 0): void {
    this.#change.run(site, leastRevision(now), 0, sources)
  }

  /** Makes the site refuse events from now on, and raises its revision. */
  markRemoved(site: number): void {
    this.#change.run(site, 1, 1, 0)
  }
}
