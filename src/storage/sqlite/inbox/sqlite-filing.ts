/** The reader's side of the inbox: an answer about a site waits until all that was recorded for it stands where answers are read from. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Soon } from '../../../domain/soon.ts'
import type { Freshness } from '../sqlite-freshness.ts'
import type { SqliteWriter } from '../sqlite-writer.ts'

export class Filing {
  readonly #writer: SqliteWriter
  readonly #freshness: Freshness
  readonly #newer: StatementSync
  readonly #filed: StatementSync
  /** By site: the last row seen in the inbox. It may have been filed since. */
  readonly #lastRows = new Map<number, number>()
  #lastRow = -1
  #version: number | null = null

  constructor(reader: DatabaseSync, writer: SqliteWriter, freshness: Freshness) {
    this.#writer = writer
    this.#freshness = freshness
    this.#newer = reader.prepare('SELECT id, site FROM inbox WHERE id > ? ORDER BY id')
    this.#newer.setReturnArrays(true)
    this.#filed = reader.prepare('SELECT filed FROM site_state WHERE site = ?')
  }

  /** Reads when everything that was recorded for the site before this call is filed: mostly at once. */
  whenFiled<Value>(site: number, read: () => Soon<Value>): Soon<Value> {
    const known = this.#lastRow
    this.#look()
    const row = this.#lastRows.get(site)
    if (row === undefined) return read()
    // What was seen just now needs no second look.
    if (row > known || row > Number(this.#filed.get(site)?.filed ?? 0))
      return this.#file(site, row).then(read)
    this.#lastRows.delete(site)
    // It may have been filed since the last look at the version: what is remembered of the site under that may be older.
    this.#freshness.expire()
    return read()
  }

  async #file(site: number, row: number): Promise<void> {
    await this.#writer.run('file', [site])
    this.#look()
    if (this.#lastRows.get(site) === row) this.#lastRows.delete(site)
  }

  /** Ids rise with every transaction, so whatever was added since the last look has a higher one. */
  #look(): void {
    const version = this.#freshness.version()
    if (version === this.#version) return
    for (const [id, site] of this.#newer.all(this.#lastRow) as unknown as [id: number, site: number][]) {
      this.#lastRows.set(site, id)
      this.#lastRow = id
    }
    this.#version = version
  }
}
