/**
 * Gives events their ids, which rise from transaction to transaction, whichever process they are of. Some are set aside ahead, since writing
 * down the next one with every commit takes a page (row 7 of docs/performance.md): those are skipped when another process writes or this one ends.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Ids that are written down as taken beyond those that are. */
const aheadMax = 256

export class EventIds {
  readonly #read: StatementSync
  readonly #write: StatementSync
  /** Null when it has to be looked up. */
  #next: number | null = null
  /** As written down: others take theirs from here on. */
  #end = 0

  constructor(database: DatabaseSync) {
    this.#read = database.prepare("SELECT value FROM counter WHERE name = 'event-id'")
    this.#write = database.prepare("UPDATE counter SET value = ? WHERE name = 'event-id'")
  }

  /** As many as `count`, from the one given back on. */
  take(count: number): number {
    if (this.#next === null) this.#next = this.#end = Number(this.#read.get()?.value)
    const first = this.#next
    this.#next += count
    return first
  }

  /** To be called right before the commit. */
  flush(): void {
    if (this.#next === null || this.#next <= this.#end) return
    this.#end = this.#next + aheadMax
    this.#write.run(this.#end)
  }

  /** To be called when others have written, or after a rollback. */
  forget(): void {
    this.#next = null
  }
}
