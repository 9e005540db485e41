/**
 * The inbox: events that are on disk and not yet in their chunks and roll-ups. Filing the events of one request touches pages for each of
 * its days and pages of every type; appending them here touches one, and filing many requests of a site at once costs little
 * more than filing one (rows 6 and 7 of docs/performance.md). Whoever reads about a site has it filed first (sqlite-filing.ts).
 *
 * A row holds the events of one type of one request, encoded as a chunk that is in the order of arrival. Its key is the id of its
 * first event.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { eventTypes } from '../../../domain/event.ts'
import { allocateColumns, ChunkReader, type EventColumns, encodeChunk } from '../chunks/sqlite-chunk.ts'
import type { IntakeNote } from '../health/sqlite-health.ts'
import { InboxIndex } from './sqlite-inbox-index.ts'

/** More are worth filing at once. */
export const inboxBatchMax = 4_000
/** So many of one site are filed together, in some ten milliseconds: whoever reads about it next waits no longer. */
const siteEventsMax = 8_000
/** Beyond these, the sites that have waited longest are filed with every transaction. */
const rowsMax = 20_000
const eventsMax = 500_000

/** Events of one type of one site. */
export interface InboxRow {
  readonly type: number
  readonly columns: EventColumns
  readonly ways: number
  readonly recordedAt: number
  /** What is to be counted in the health of the site; a request gives its own to one of its rows. */
  readonly notes: readonly IntakeNote[]
}

export class Inbox {
  readonly #index: InboxIndex
  readonly #put: StatementSync
  readonly #take: StatementSync
  readonly #dataVersion: StatementSync
  #version: unknown = null

  constructor(database: DatabaseSync) {
    this.#index = new InboxIndex(database)
    this.#put = database.prepare(
      'INSERT INTO inbox (id, site, type, events, ways, recorded_at, note, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    )
    this.#take = database.prepare(
      'DELETE FROM inbox WHERE id = ? RETURNING type, ways, recorded_at, note, data',
    )
    this.#dataVersion = database.prepare('PRAGMA data_version')
  }

  /** To be called when a transaction has begun: looks for what other processes have put here. */
  begin(): void {
    const version = this.#dataVersion.get()?.data_version
    if (version === this.#version) return
    this.#index.refresh()
    this.#version = version
  }

  put(site: number, { type, columns, ways, recordedAt, notes: [note] }: InboxRow): void {
    const id = columns.id[0]!
    const data = encodeChunk(columns, 0, columns.count)
    const text = note === undefined ? null : JSON.stringify(note)
    this.#put.run(id, site, type, columns.count, ways, recordedAt, text, data)
    this.#index.add(id, site, columns.count, ways)
  }

  /** All that waits for a site, a row a type, in the order of arrival; it is gone from the inbox. */
  take(site: number): InboxRow[] {
    const stored: Record<string, unknown>[] = []
    for (const id of this.#index.of(site)?.ids ?? []) {
      const row = this.#take.get(id)
      // Undefined where another process has filed it.
      if (row) stored.push(row)
    }
    this.#index.forget(site)
    const types = new Set(stored.map(({ type }) => Number(type)))
    return [...types].map((type, i) => ({
      ...joinRows(
        type,
        stored.filter(row => row.type === type),
      ),
      // Together, since the pauses between deliveries are counted.
      notes: i === 0 ? notesOf(stored) : [],
    }))
  }

  /** Events that wait, of all sites. */
  get events(): number {
    return this.#index.events
  }

  /** Ways in that have reported what waits for a site, as bits. */
  waysOf(site: number): number {
    return this.#index.of(site)?.ways ?? 0
  }

  isWaiting(site: number): boolean {
    return this.#index.of(site) !== undefined
  }

  isFull(site: number): boolean {
    return (this.#index.of(site)?.events ?? 0) >= siteEventsMax
  }

  isOverfull(): boolean {
    return this.#index.rows > rowsMax || this.#index.events > eventsMax
  }

  /** The site that has waited longest; undefined where none waits. */
  longestWaiting(): number | undefined {
    return this.#index.longestWaiting()
  }

  /** To be called after a rollback. */
  discard(): void {
    this.#index.clear()
    this.#version = null
  }
}

function joinRows(type: number, rows: readonly Record<string, unknown>[]): Omit<InboxRow, 'notes'> {
  const hasValue = eventTypes[type] === 'conversion'
  const readers = rows.map(({ data }) => new ChunkReader(data as Uint8Array, hasValue))
  const count = readers.reduce((sum, reader) => sum + reader.count, 0)
  const columns = allocateColumns(count, hasValue)
  let at = 0
  for (const reader of readers) {
    reader.copyTo(columns, at)
    at += reader.count
  }
  return {
    type,
    columns,
    ways: rows.reduce((all, { ways }) => all | Number(ways), 0),
    recordedAt: rows.reduce((latest, row) => Math.max(latest, Number(row.recorded_at)), 0),
  }
}

const notesOf = (rows: readonly Record<string, unknown>[]): IntakeNote[] =>
  rows.flatMap(({ note }) => (note === null ? [] : [JSON.parse(String(note)) as IntakeNote]))
