/** What the writer knows to lie in the inbox, by site: kept in memory, and brought up to date with the rows of other processes. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** What lies in the inbox for one site. Rows that another process has filed may still be listed. */
export interface WaitingRows {
  /** In the order of arrival. */
  readonly ids: number[]
  events: number
  /** Ways in that have reported them, as bits. */
  ways: number
}

type Row = [id: number, site: number, events: number, ways: number]

export class InboxIndex {
  readonly #newer: StatementSync
  /** In the order in which the sites began to wait. */
  readonly #sites = new Map<number, WaitingRows>()
  #lastId = -1
  #rows = 0
  #events = 0

  constructor(database: DatabaseSync) {
    this.#newer = database.prepare('SELECT id, site, events, ways FROM inbox WHERE id > ? ORDER BY id')
    this.#newer.setReturnArrays(true)
  }

  get rows(): number {
    return this.#rows
  }

  get events(): number {
    return this.#events
  }

  /** Ids rise with every transaction, so whatever was added since, by whomever, has a higher one. */
  refresh(): void {
    for (const [id, site, events, ways] of this.#newer.all(this.#lastId) as unknown as Row[])
      this.add(id, site, events, ways)
  }

  add(id: number, site: number, events: number, ways: number): void {
    this.#lastId = Math.max(this.#lastId, id)
    this.#rows++
    this.#events += events
    const waiting = this.#sites.get(site)
    if (!waiting) this.#sites.set(site, { ids: [id], events, ways })
    else {
      waiting.ids.push(id)
      waiting.events += events
      waiting.ways |= ways
    }
  }

  of(site: number): WaitingRows | undefined {
    return this.#sites.get(site)
  }

  /** The site that has waited longest; undefined where none waits. */
  longestWaiting(): number | undefined {
    return this.#sites.keys().next().value
  }

  forget(site: number): void {
    const waiting = this.#sites.get(site)
    if (!waiting) return
    this.#sites.delete(site)
    this.#rows -= waiting.ids.length
    this.#events -= waiting.events
  }

  /** To be called after a rollback; `refresh` finds everything again. */
  clear(): void {
    this.#sites.clear()
    this.#lastId = -1
    this.#rows = 0
    this.#events = 0
  }
}
