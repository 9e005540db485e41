/** Reads pages of events, newest first, out of the chunks. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { dayMs } from '../../../domain/date-range.ts'
import { arrivals, type EventPosition, eventTypes, type StoredEvent } from '../../../domain/event.ts'
import type { EventListQuery, EventPage, ListedEvent } from '../../event-store.ts'
import { arrivalsOf, waysOf } from '../sightings/sqlite-sighting.ts'
import type { Snapshot } from '../sqlite-snapshot.ts'
import { ChunkReader } from './sqlite-chunk.ts'
import { SqliteEventPage } from './sqlite-event-page.ts'

/** A place in the run of one type that moves towards older events. */
interface RunCursor {
  readonly type: number
  reader: ChunkReader
  index: number
  time: number
  id: number
}

export class SqliteEventList {
  readonly #inSnapshot: Snapshot
  readonly #chunkBefore: StatementSync
  readonly #origin: StatementSync
  readonly #page: SqliteEventPage
  /** Memory of the chunks that the page at hand was read from. */
  readonly #chunks: ArrayBuffer[] = []

  constructor(reader: DatabaseSync, inSnapshot: Snapshot) {
    this.#inSnapshot = inSnapshot
    this.#chunkBefore = reader.prepare(
      `SELECT data FROM chunk WHERE site = ? AND type = ? AND (first_time, first_id) < (?, ?)
       ORDER BY first_time DESC, first_id DESC LIMIT 1`,
    )
    this.#chunkBefore.setReturnArrays(true)
    this.#origin = reader.prepare('SELECT * FROM origin WHERE id = ?')
    this.#page = new SqliteEventPage(reader)
  }

  list(site: number, query: EventListQuery): ListedEvent[] {
    return this.withPage(site, query, () => this.#page.events())
  }

  /** In the snapshot of the page, so that the texts behind its numbers are still there. */
  withPage<Result>(site: number, query: EventListQuery, read: (page: EventPage) => Result): Result {
    return this.#inSnapshot(() => {
      this.#fill(site, query)
      this.#freeChunks()
      return read(this.#page)
    })
  }

  find(site: number, position: EventPosition): StoredEvent | null {
    return this.#inSnapshot(() => {
      const event = this.#find(site, position)
      this.#freeChunks()
      return event
    })
  }

  #fill(site: number, { range, type, after, limit }: EventListQuery): void {
    const page = this.#page
    page.begin(site)
    const oldest = range.start * dayMs
    const end: EventPosition = { createdAt: (range.end + 1) * dayMs, id: 0 }
    const before = after && isOlder(after, end) ? after : end
    const types = type === null ? eventTypes.keys() : [eventTypes.indexOf(type)]
    const cursors: RunCursor[] = []
    for (const number of types) {
      const cursor = this.#open(site, number, before)
      if (cursor && cursor.time >= oldest) cursors.push(cursor)
    }
    while (page.count < limit && cursors.length > 0) {
      let newest = cursors[0]!
      for (const cursor of cursors) {
        if (cursor.time > newest.time || (cursor.time === newest.time && cursor.id > newest.id))
          newest = cursor
      }
      page.add(newest.type, newest.time, newest.id, newest.reader, newest.index)
      if (!this.#step(site, newest) || newest.time < oldest) cursors.splice(cursors.indexOf(newest), 1)
    }
  }

  #find(site: number, { createdAt, id }: EventPosition): StoredEvent | null {
    this.#page.begin(site)
    for (const type of eventTypes.keys()) {
      const cursor = this.#open(site, type, { createdAt, id: id + 1 })
      if (cursor?.time === createdAt && cursor.id === id) {
        const provenance = this.#provenance(cursor.reader.origin(cursor.index))
        const sighting = cursor.reader.sighting(cursor.index)
        const seenBy = sighting === 0 ? [provenance.arrival] : arrivalsOf(waysOf(sighting))
        this.#page.add(cursor.type, cursor.time, cursor.id, cursor.reader, cursor.index)
        return { ...this.#page.events()[0]!, provenance, seenBy }
      }
    }
    return null
  }

  /** The newest event of a type before a position; null when there is none. */
  #open(site: number, type: number, before: EventPosition): RunCursor | null {
    const row = this.#chunkBefore.get(site, type, before.createdAt, before.id)
    if (!row) return null
    const [bytes] = row as unknown as [Uint8Array<ArrayBuffer>]
    this.#chunks.push(bytes.buffer)
    const reader = new ChunkReader(bytes, eventTypes[type] === 'conversion')
    const index = reader.countBefore(before.createdAt, before.id) - 1
    return { type, reader, index, time: reader.time(index), id: reader.id(index) }
  }

  /** Moves to the next older event; false when there is none. */
  #step(site: number, cursor: RunCursor): boolean {
    if (cursor.index > 0) {
      cursor.index--
      cursor.time = cursor.reader.time(cursor.index)
      cursor.id = cursor.reader.id(cursor.index)
      return true
    }
    const older = this.#open(site, cursor.type, { createdAt: cursor.time, id: cursor.id })
    if (older) Object.assign(cursor, older)
    return older !== null
  }

  /** At once: left to the garbage collector, new memory for each page takes longer than decoding it (row 4 of docs/performance.md). */
  #freeChunks(): void {
    for (const memory of this.#chunks) memory.transfer(0)
    this.#chunks.length = 0
  }

  #provenance(origin: number): StoredEvent['provenance'] {
    const row = this.#origin.get(origin)!
    const text = (id: unknown): string | null => (id === 0 ? null : this.#page.text(Number(id)))
    return {
      arrival: arrivals[Number(row.arrival)]!,
      status: row.status === 0 ? null : Number(row.status),
      userAgent: text(row.user_agent),
      referrerHost: text(row.referrer_host),
      rule: text(row.rule),
      catalogueVersion: text(row.catalogue_version),
      source: text(row.source),
      landing: text(row.landing),
    }
  }
}

const isOlder = (a: EventPosition, b: EventPosition): boolean =>
  a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id)
