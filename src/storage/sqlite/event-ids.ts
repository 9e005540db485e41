/** Gives events their ids, which rise from transaction to transaction, whichever process they are of. */
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

  /** To be called at the beginning of a transaction: other processes may have taken some. */
  begin(): void {
    this.#next = this.#written = Number(this.#read.get()?.value)
  }

  /** As many as `count`, from the one given back on. */
  take(count: number): number {
    const first = this.#next
    this.#next += count
    return first
  }

  /** Makes all later ids greater than this one. */
  skipTo(id: number): void {
    this.#next = Math.max(this.#next, id + 1)
  }

  /** To be called right before the commit. */
  flush(): void {
    if (this.#next > this.#written) this.#write.run(this.#next)
  }
}
