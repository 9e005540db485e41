/** Tells what may be kept in memory: a number that changes when any process has committed, and the revisions of sites as of then. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Beyond so many sites the memory starts again empty. */
const rememberedMax = 100_000

export class DataVersion {
  readonly #version: StatementSync
  readonly #revision: StatementSync
  readonly #revisions = new Map<number, number>()
  #seen = -1

  constructor(reader: DatabaseSync) {
    this.#version = reader.prepare('PRAGMA data_version')
    this.#version.setReturnArrays(true)
    this.#revision = reader.prepare('SELECT revision FROM site_state WHERE site = ?')
  }

  /** What was remembered under another number must be looked up again. */
  current(): number {
    return (this.#version.get() as unknown as [number])[0]
  }

  /** The data version of a site; 0 for one without events. */
  revisionOf(site: number, version = this.current()): number {
    if (version !== this.#seen || this.#revisions.size >= rememberedMax) this.#revisions.clear()
    this.#seen = version
    let revision = this.#revisions.get(site)
    if (revision === undefined) {
      revision = Number(this.#revision.get(site)?.revision ?? 0)
      this.#revisions.set(site, revision)
    }
    return revision
  }
}
