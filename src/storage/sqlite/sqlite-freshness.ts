/**
 * Tells what may be kept in memory: a number that changes when any process has committed. While requests that came in together are
 * answered, SQLite is asked once (rows 1 and 2 of docs/performance.md).
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

export class Freshness {
  readonly #dataVersion: StatementSync
  #version = 0
  #holds = false
  readonly #release = (): void => {
    this.#holds = false
  }

  constructor(reader: DatabaseSync) {
    this.#dataVersion = reader.prepare('PRAGMA data_version')
    this.#dataVersion.setReturnArrays(true)
  }

  /** What was remembered under another number must be looked up again. */
  version(): number {
    if (!this.#holds) this.#look()
    return this.#version
  }

  /**
   * To be called when a request has just been read from the network: one look then holds until the event loop looks for
   * what came in next. All requests of one such round were sent before its first look, so nothing that was acknowledged
   * before one of them can be missed.
   */
  hold(): void {
    if (this.#holds) return
    this.#look()
    this.#holds = true
    setImmediate(this.#release)
  }

  /** To be called when this process has committed, before anybody hears of it. */
  expire(): void {
    this.#holds = false
  }

  #look(): void {
    this.#version = (this.#dataVersion.get() as unknown as [number])[0]
  }
}
