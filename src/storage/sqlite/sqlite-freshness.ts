/**
 * Tells what may be kept in memory: a number that changes when any process has committed. SQLite is asked once a round of the event
 * loop (rows 1 and 2 of docs/performance.md). A round begins with the look for what has come in, so requests handled in one round
 * were all sent before its first question, and nothing acknowledged before them can be missed.
 */
import { performance } from 'node:perf_hooks'
import type { DatabaseSync, StatementSync } from 'node:sqlite'

const { nodeTiming } = performance

export class Freshness {
  readonly #dataVersion: StatementSync
  #version = 0
  #checkedInRound = -1

  constructor(reader: DatabaseSync) {
    this.#dataVersion = reader.prepare('PRAGMA data_version')
  }

  /** What was remembered under another number must be looked up again. */
  version(): number {
    const round = nodeTiming.uvMetricsInfo.loopCount
    if (round !== this.#checkedInRound) {
      this.#version = Number(this.#dataVersion.get()?.data_version)
      this.#checkedInRound = round
    }
    return this.#version
  }

  /** To be called when this process has committed, before anybody hears of it. */
  expire(): void {
    this.#checkedInRound = -1
  }
}
