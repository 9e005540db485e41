/** Assigns ids to events. Ids rise from transaction to transaction, across all processes. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

export class EventIds {
  readonly #read: StatementSync
  readonly #write: StatementSync
  #next = 0
  #written = 0

  constructor(database: DatabaseSync) {
    this.#read = database.prepare("SELECT value FROM counter WHERE name = 'event-id'")
    this.#write = database.prepare("UPDATE counter SET value = ? WHERE name = 'event-id'")
  }

  /** Call this at the beginning of a transaction, because other processes may have taken ids. */
  begin(): void {
    this.#next = this.#written = Number(this.#read.get()?.value)
  }

  /** Takes `count` ids in a row and returns the first. */
  take(count: number): number {
    const first = this.#next
    this.#next += count
    return first
  }

  /** Makes all later ids greater than this one. */
  skipTo(id: number): void {
    this.#next = Math.max(this.#next, id + 1)
  }

  /** Call this right before the commit. */
  flush(): void {
    if (this.#next > this.#written) this.#write.run(this.#next)
  }
}
