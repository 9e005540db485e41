/** Counts what comes in by each way, inside a transaction that someone else begins and commits. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SqliteDictionary } from '../sqlite-dictionary.ts'
import { addNote, decodeHealth, encodeHealth, type IntakeNote, type SiteHealth } from './sqlite-health.ts'

export class HealthWriter {
  readonly #dictionary: SqliteDictionary
  readonly #read: StatementSync
  readonly #write: StatementSync
  readonly #gathered = new Map<number, SiteHealth>()

  constructor(database: DatabaseSync, dictionary: SqliteDictionary) {
    this.#dictionary = dictionary
    this.#read = database.prepare('SELECT health, removed FROM site_state WHERE site = ?')
    this.#write = database.prepare(
      `INSERT INTO site_state (site, revision, health) VALUES (?, 0, ?)
       ON CONFLICT (site) DO UPDATE SET health = excluded.health`,
    )
  }

  /** Nothing happens where the site was removed. */
  add(site: number, note: IntakeNote): void {
    let health = this.#gathered.get(site)
    if (!health) {
      const row = this.#read.get(site)
      if (row?.removed === 1) return
      health = row ? decodeHealth(row.health as Uint8Array) : new Map()
      this.#gathered.set(site, health)
    }
    addNote(health, note, reason => this.#dictionary.textId(site, reason))
  }

  /** What is to stand in the row of a site that is written anyhow; null where nothing came in. */
  take(site: number): Uint8Array | null {
    const health = this.#gathered.get(site)
    if (!health) return null
    this.#gathered.delete(site)
    return encodeHealth(health)
  }

  /** Writes the rest. */
  flush(): void {
    for (const [site, health] of this.#gathered) this.#write.run(site, encodeHealth(health))
    this.#gathered.clear()
  }

  /** To be called after a rollback. */
  discard(): void {
    this.#gathered.clear()
  }
}
