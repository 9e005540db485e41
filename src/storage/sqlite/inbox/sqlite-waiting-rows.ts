/**
 * What a reader knows to wait in the inbox, by site: kept in memory, and brought up to date when somebody has committed. The revision of
 * a site is that of what is filed, moved on by each row that waits.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Freshness } from '../sqlite-freshness.ts'
import { revisionAfter } from '../sqlite-revision.ts'

export interface WaitingRow {
  readonly id: number
  readonly events: number
  readonly recordedAt: number
}

/** A site as it stands at one moment. */
export interface SiteState {
  readonly revision: number
  /** Without what waits: changes with every change of the roll-ups. */
  readonly filedRevision: number
  /** In the order of arrival. */
  readonly waiting: readonly WaitingRow[]
}

type Row = [id: number, site: number, events: number, recordedAt: number]

/** Sites whose state is remembered at the most. */
const rememberedMax = 100_000

/** After so many rows those that are deleted are no longer listed. */
const rowsBetweenCuts = 50_000

const none: readonly WaitingRow[] = []

export class WaitingRows {
  readonly #freshness: Freshness
  readonly #newer: StatementSync
  readonly #first: StatementSync
  readonly #state: StatementSync
  /** By site, each in the order of arrival. They may have been filed since. */
  readonly #sites = new Map<number, WaitingRow[]>()
  readonly #states = new Map<number, { readonly version: number; readonly state: SiteState }>()
  #version: number | null = null
  #lastRow = -1
  #added = 0

  constructor(reader: DatabaseSync, freshness: Freshness) {
    this.#freshness = freshness
    this.#newer = reader.prepare('SELECT id, site, events, recorded_at FROM inbox WHERE id > ? ORDER BY id')
    this.#newer.setReturnArrays(true)
    this.#first = reader.prepare('SELECT min(id) AS id FROM inbox')
    this.#state = reader.prepare('SELECT revision, filed, removed FROM site_state WHERE site = ?')
  }

  /** The revision of a site; looked up again when somebody has committed. */
  revisionOf(site: number): number {
    return this.#current(site).revision
  }

  /** What waits for a site. */
  of(site: number): readonly WaitingRow[] {
    return this.#current(site).waiting
  }

  /** To be called in a snapshot, for the state in it: what was held before may be older. */
  stateIn(site: number): SiteState {
    this.#freshness.expire()
    return this.#current(site)
  }

  #current(site: number): SiteState {
    const version = this.#freshness.version()
    const remembered = this.#states.get(site)
    if (remembered?.version === version) return remembered.state
    if (version !== this.#version) this.#list()
    this.#version = version
    const state = this.#stateOf(site)
    if (this.#states.size >= rememberedMax) this.#states.clear()
    this.#states.set(site, { version, state })
    return state
  }

  /** Ids rise with every transaction, so whatever was added since the last look has a higher one. */
  #list(): void {
    for (const [id, site, events, recordedAt] of this.#newer.all(this.#lastRow) as unknown as Row[]) {
      const rows = this.#sites.get(site)
      if (rows) rows.push({ id, events, recordedAt })
      else this.#sites.set(site, [{ id, events, recordedAt }])
      this.#lastRow = id
      this.#added++
    }
    if (this.#added > rowsBetweenCuts) this.#cut()
  }

  /** To be called after `#list`: what was filed since then counts as filed, with all that was added before it. */
  #stateOf(site: number): SiteState {
    const state = this.#state.get(site)
    const filedRevision = Number(state?.revision ?? 0)
    const rows = this.#sites.get(site)
    if (!rows) return { revision: filedRevision, filedRevision, waiting: none }
    const filed = Number(state?.filed ?? 0)
    // What waits for a site that is removed is deleted with it.
    const waiting =
      state?.removed === 1 ? [] : rows[0]!.id > filed ? rows : rows.filter(({ id }) => id > filed)
    if (waiting.length === 0) this.#sites.delete(site)
    else if (waiting !== rows) this.#sites.set(site, waiting)
    const revision = waiting.reduce(
      (before, { recordedAt }) => revisionAfter(before, recordedAt),
      filedRevision,
    )
    return { revision, filedRevision, waiting }
  }

  /** Drops rows of sites that others have filed and nobody has asked for. */
  #cut(): void {
    const first = Number(this.#first.get()?.id ?? this.#lastRow + 1)
    for (const [site, rows] of this.#sites) {
      const stored = rows.filter(({ id }) => id >= first)
      if (stored.length > 0) this.#sites.set(site, stored)
      else this.#sites.delete(site)
    }
    this.#added = 0
  }
}
