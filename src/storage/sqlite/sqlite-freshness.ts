/**
 * Tells what may be kept in memory: a number that changes when any process has committed. SQLite is asked once a turn of the event
 * loop: requests handled in one turn were all sent before it began, so nothing acknowledged before them can be missed
 * (rows 1 and 2 of docs/performance.md).
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

export class Freshness {
  readonly #dataVersion: StatementSync
  #version = 0
  #checked = false
  readonly #nextTurn = (): void => {
    this.#checked = false
  }

  constructor(reader: DatabaseSync) {
    this.#dataVersion = reader.prepare('PRAGMA data_version')
  }

  /** What was remembered under another number must be looked up again. */
  version(): number {
    if (!this.#checked) {
      this.#version = Number(this.#dataVersion.get()?.data_version)
      this.#checked = true
      setImmediate(this.#nextTurn)
    }
    return this.#version
  }

  /** To be called when this process has committed, before anybody hears of it. */
  expire(): void {
    this.#checked = false
  }
}
