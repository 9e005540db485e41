/** What the writer knows to lie in the inbox, by site: kept in memory, and brought up to date with the rows of other processes. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** What lies in the inbox for one site. Rows that another process has filed may still be listed. */
export interface WaitingRows {
  /** Ascending. */
  readonly ids: number[]
  /** How many rows were added to the inbox before the first of these. */
  readonly behind: number
  events: number
  /** Ways in that have reported them, as bits. */
  ways: number
}

type Row = [id: number, site: number, events: number, ways: number]

export class InboxIndex {
  readonly #newer: StatementSync
  /** In the order of their first rows. */
  readonly #sites = new Map<number, WaitingRows>()
  /** Of these, where it is known: every event that is recorded asks for it (row 7 of docs/performance.md). */
  #first: readonly [site: number, rows: WaitingRows] | undefined
  #lastId = -1
  #added = 0
  #events = 0

  constructor(database: DatabaseSync) {
    this.#newer = database.prepare('SELECT id, site, events, ways FROM inbox WHERE id > ? ORDER BY id')
    this.#newer.setReturnArrays(true)
  }

  /** Ids rise with every transaction, so whatever was added since, by whomever, has a higher one. */
  refresh(): void {
    for (const [id, site, events, ways] of this.#newer.all(this.#lastId) as unknown as Row[])
      this.add(id, site, events, ways)
  }

  /** `id` is above all that were added before. */
  add(id: number, site: number, events: number, ways: number): void {
    this.#lastId = id
    this.#events += events
    const waiting = this.#sites.get(site)
    if (!waiting) this.#sites.set(site, { ids: [id], behind: this.#added, events, ways })
    else {
      waiting.ids.push(id)
      waiting.events += events
      waiting.ways |= ways
    }
    this.#added++
  }

  /** Rows added so far. */
  get added(): number {
    return this.#added
  }

  /** The highest id so far; below 0 before the first. */
  get lastId(): number {
    return this.#lastId
  }

  /** Events that wait, of all sites. */
  get events(): number {
    return this.#events
  }

  /** Sites that wait. */
  get sites(): number {
    return this.#sites.size
  }

  of(site: number): WaitingRows | undefined {
    return this.#sites.get(site)
  }

  /** The site that has waited longest, whose first row is the first of all; undefined where none waits. */
  longestWaiting(): readonly [site: number, rows: WaitingRows] | undefined {
    this.#first ??= this.#sites.entries().next().value
    return this.#first
  }

  forget(site: number): void {
    this.#events -= this.#sites.get(site)?.events ?? 0
    this.#sites.delete(site)
    if (this.#first?.[0] === site) this.#first = undefined
  }

  /** To be called after a rollback; `refresh` finds everything again. */
  clear(): void {
    this.#sites.clear()
    this.#first = undefined
    this.#lastId = -1
    this.#events = 0
  }
}
