/** The write side of the breakdown roll-up, inside the transaction of the events that it counts. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { dayKey } from '../days/sqlite-day.ts'
import { decodeFacets, packFacets } from './sqlite-facet-columns.ts'
import { encodeFacets, FacetTable, facetTailMax } from './sqlite-facets.ts'

export class FacetWriter {
  readonly #tail: StatementSync
  readonly #merged: StatementSync
  readonly #putTail: StatementSync
  readonly #putMerged: StatementSync
  readonly #dropTail: StatementSync
  /** Tails of this transaction, by key of site and day. */
  readonly #tails = new Map<number, FacetTable>()

  constructor(database: DatabaseSync) {
    const put = (table: string) =>
      `INSERT INTO ${table} (key, data) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET data = excluded.data`
    this.#tail = database.prepare('SELECT data FROM facet_tail WHERE key = ?')
    this.#merged = database.prepare('SELECT data FROM facet WHERE key = ?')
    this.#putTail = database.prepare(put('facet_tail'))
    this.#putMerged = database.prepare(put('facet'))
    this.#dropTail = database.prepare('DELETE FROM facet_tail WHERE key = ?')
  }

  /** The tail of a day, to be added to. */
  tailOf(site: number, day: number): FacetTable {
    const key = dayKey(site, day)
    let tail = this.#tails.get(key)
    if (!tail) {
      const stored = this.#tail.get(key)
      tail = stored ? decodeFacets(stored.data as Uint8Array) : new FacetTable()
      this.#tails.set(key, tail)
    }
    return tail
  }

  /** To be called once, right before the commit. */
  flush(): void {
    for (const [key, tail] of this.#tails) {
      if (tail.size <= facetTailMax) this.#putTail.run(key, encodeFacets(tail))
      else this.#merge(key, tail)
    }
    this.#tails.clear()
  }

  /** To be called after a rollback. */
  discard(): void {
    this.#tails.clear()
  }

  #merge(key: number, tail: FacetTable): void {
    const stored = this.#merged.get(key)
    const merged = stored ? decodeFacets(stored.data as Uint8Array) : new FacetTable()
    merged.absorb(tail)
    this.#putMerged.run(key, packFacets(merged))
    this.#dropTail.run(key)
  }
}
