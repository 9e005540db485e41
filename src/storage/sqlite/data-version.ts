/** Shows when remembered values are stale, by a number that changes with every commit of any process, and by the revisions of sites. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Beyond this many sites, the memory is cleared. */
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

  /** Changes with every commit of any process. Values remembered under another number must be looked up again. */
  current(): number {
    return (this.#version.get() as unknown as [number])[0]
  }

  /** The revision of a site; 0 for a site without events. */
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
