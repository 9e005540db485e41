/**
 * The inbox: events that are on disk and not yet in their chunks and roll-ups. Filing the events of one request touches pages for each of
 * its days and pages of every type; appending them here touches one, and filing many requests of a site at once costs little
 * more than filing one (rows 6 and 7 of docs/performance.md). Readers count what waits where it lies, and have it filed where they
 * want more (sqlite-filing.ts).
 *
 * A row holds the events of one type of one request, encoded as a chunk that is in the order of arrival. Its key is the id of its
 * first event. Rows up to the `filed` of their site's state are filed, and deleted when all before them are.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { eventTypes } from '../../../domain/event.ts'
import { encodeChunk } from '../chunks/sqlite-chunk.ts'
import { ChunkReader } from '../chunks/sqlite-chunk-reader.ts'
import { allocateColumns, conversionType, type EventColumns } from '../chunks/sqlite-event-columns.ts'
import type { IntakeNote } from '../health/sqlite-health.ts'
import { InboxIndex } from './sqlite-inbox-index.ts'
import { plainArrival, readNote, spellNote } from './sqlite-inbox-note.ts'
import {
  byType,
  type InboxRow,
  type SingleRow,
  type TakenEvents,
  type TypedEvents,
} from './sqlite-inbox-rows.ts'
import { RecentSingles } from './sqlite-recent-singles.ts'
import { type ChunkEvent, encodeOne } from './sqlite-single-chunk.ts'

/** More are worth filing at once. */
export const inboxBatchMax = 4_000
/** A site of which so many wait is filed: what waits is what the next reader decodes or waits for (row 8 of docs/performance.md). */
const siteEventsMax = 8_000
/**
 * Where the inbox reaches further back than this, the sites that have waited longest are filed. Of single events for a thousand sites it
 * decides how many a filing has to share its cost (row 7).
 */
const stretch = { rows: 100_000, events: 1_000_000 }
/** With so many stretches all are filed that wait, at whatever pace. */
const stretchesMax = 2
/** Beyond this the list of rows starts again from what is stored. */
const listedRowsMax = (stretchesMax + 1) * stretch.rows
/** Filed rows are deleted so many at a time. */
const deletedAtOnce = 1_000

/** A row or the end of the inbox: how many rows were added before it, and its id or the last one. */
interface InboxPlace {
  readonly behind: number
  readonly id: number
}

type StoredRow = readonly [
  type: number,
  events: number,
  ways: number,
  recordedAt: number,
  note: string | null,
  data: Uint8Array,
]

export class Inbox {
  readonly #index: InboxIndex
  readonly #recent = new RecentSingles()
  readonly #put: StatementSync
  readonly #get: StatementSync
  readonly #deleteFiled: StatementSync
  readonly #dataVersion: StatementSync
  #version: unknown = null
  /** Rows added before the first that may not be deleted yet. */
  #deleted = 0
  /** Where the inbox ended when a site was last overdue. */
  #paced: InboxPlace = { behind: 0, id: 0 }

  constructor(database: DatabaseSync) {
    this.#index = new InboxIndex(database)
    this.#put = database.prepare(
      'INSERT INTO inbox (id, site, type, events, ways, recorded_at, note, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    )
    // All of a site at once, in the order of the ids, takes half the time of one after the other (row 7).
    this.#get = database.prepare(
      `SELECT inbox.type, events, ways, recorded_at, note, data FROM json_each(?) AS wanted
       CROSS JOIN inbox ON inbox.id = wanted.value`,
    )
    this.#get.setReturnArrays(true)
    this.#deleteFiled = database.prepare('DELETE FROM inbox WHERE id < ?')
    this.#dataVersion = database.prepare('PRAGMA data_version')
  }

  /** To be called when a transaction has begun: true when other processes have written since the last, here or elsewhere. */
  begin(): boolean {
    const version = this.#dataVersion.get()?.data_version
    if (version === this.#version) return false
    this.#index.refresh()
    // Who seldom files keeps listing what others have filed long ago.
    const first = this.#index.longestWaiting()?.[1]
    if (first && this.#index.added - first.behind > listedRowsMax) {
      this.#index.clear()
      this.#index.refresh()
    }
    this.#version = version
    return true
  }

  /** The rows of one request. */
  put(site: number, rows: readonly InboxRow[]): void {
    const ascending = rows.toSorted((a, b) => a.columns.id[0]! - b.columns.id[0]!)
    for (const { type, columns, ways, recordedAt, notes } of ascending) {
      const id = columns.id[0]!
      const data = encodeChunk(columns, 0, columns.count)
      const note = notes[0] ? spellNote(notes[0], columns.count) : null
      this.#put.run(id, site, type, columns.count, ways, recordedAt, note, data)
      this.#index.add(id, site, columns.count, ways)
      if (rows.length > 1 || columns.count > 1) continue
      const arrival = notes[0] ? plainArrival(notes[0], 1) : null
      if (arrival !== undefined) this.#recent.put({ type, ways, recordedAt, arrival }, eventOf(columns))
    }
  }

  /** The row of a single event that came in time. */
  putOne(site: number, row: SingleRow, event: ChunkEvent): void {
    const { type, ways, recordedAt, arrival } = row
    const note = arrival === null ? null : String(arrival)
    this.#put.run(event.id, site, type, 1, ways, recordedAt, note, encodeOne(event, type === conversionType))
    this.#index.add(event.id, site, 1, ways)
    this.#recent.put(row, event)
  }

  /**
   * All that waits for a site, and the number up to which the site is filed once that is stored. `filed` is that number as it was.
   */
  take(site: number, filed: number): TakenEvents & { filed: number } {
    const ids = this.#index.of(site)?.ids.filter(id => id > filed) ?? []
    this.#index.forget(site)
    return { ...(this.#recent.take(ids) ?? this.#stored(ids)), filed: ids.at(-1) ?? filed }
  }

  /** Without what another process has filed and deleted. */
  #stored(ids: readonly number[]): TakenEvents {
    const stored = this.#get.all(JSON.stringify(ids)) as unknown as StoredRow[]
    const events = byType(stored, ([type]) => type, joinRows, notesOf(stored))
    return { events, recorded: stored.map(([, count, , recordedAt]) => ({ events: count, recordedAt })) }
  }

  /** Deletes rows that are filed, from the first on: a page of them at a time, where each by itself would cost a page. */
  sweep(): void {
    const first = this.#index.longestWaiting()?.[1]
    const end = first?.behind ?? this.#index.added
    const isDue = first ? end - this.#deleted >= deletedAtOnce : end > this.#deleted
    if (!isDue) return
    this.#deleteFiled.run(first?.ids[0] ?? this.#index.lastId + 1)
    this.#deleted = end
  }

  /** Events that wait, of all sites. */
  get events(): number {
    return this.#index.events
  }

  /** False also after a rollback, when only the next look tells what waits. */
  get isEmpty(): boolean {
    return this.#version !== null && this.#index.events === 0
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

  /**
   * The site that has waited longest, when it is to be filed; undefined else. Sites that began to wait together become due together, and
   * would keep everybody waiting at once: each has its turn within the next stretch (row 7).
   */
  takeOverdue(): number | undefined {
    const longest = this.#index.longestWaiting()
    if (!longest) return undefined
    const [site, { behind, ids }] = longest
    const reach = this.#stretchesSince({ behind, id: ids[0]! })
    const isTurn = this.#stretchesSince(this.#paced) * this.#index.sites >= 1
    if (reach <= 1 || !(isTurn || reach > stretchesMax)) return undefined
    this.#paced = { behind: this.#index.added, id: this.#index.lastId }
    return site
  }

  #stretchesSince({ behind, id }: InboxPlace): number {
    return Math.max((this.#index.added - behind) / stretch.rows, (this.#index.lastId - id) / stretch.events)
  }

  /** The site that has waited longest; undefined where none waits. */
  longestWaiting(): number | undefined {
    return this.#index.longestWaiting()?.[0]
  }

  /** To be called after a rollback. */
  discard(): void {
    this.#index.clear()
    this.#recent.forget()
    this.#version = null
  }
}

function joinRows(type: number, rows: readonly StoredRow[]): Omit<TypedEvents, 'notes'> {
  const hasValue = eventTypes[type] === 'conversion'
  const columns = allocateColumns(
    rows.reduce((sum, [, events]) => sum + events, 0),
    hasValue,
  )
  let [at, allWays] = [0, 0]
  for (const [, events, ways, , , data] of rows) {
    new ChunkReader(data).copyTo(columns, at)
    at += events
    allWays |= ways
  }
  return { type, columns, ways: allWays }
}

/** Of columns that hold one. */
const eventOf = ({ time, id, origin, path, country, sighting, value }: EventColumns): ChunkEvent => ({
  ...{ time: time[0]!, id: id[0]!, origin: origin[0]!, path: path[0]! },
  ...{ country: country[0]!, sighting: sighting[0]!, value: value?.[0] ?? null },
})

const notesOf = (rows: readonly StoredRow[]): IntakeNote[] =>
  rows.flatMap(([, events, , recordedAt, note]) =>
    note === null ? [] : [readNote(note, events, recordedAt)],
  )
