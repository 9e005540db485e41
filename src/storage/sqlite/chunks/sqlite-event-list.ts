/** Reads pages of events, newest first, out of the chunks. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { dayMs } from '../../../domain/date-range.ts'
import {
  arrivals,
  type EventPosition,
  type EventType,
  eventTypes,
  type StoredEvent,
} from '../../../domain/event.ts'
import type { EventListQuery, EventPage, ListedEvent } from '../../event-store.ts'
import { arrivalsOf, waysOf } from '../sightings/sqlite-sighting.ts'
import type { Snapshot } from '../sqlite-snapshot.ts'
import { ChunkReader } from './sqlite-chunk-reader.ts'
import { allRun, conversionRun } from './sqlite-chunk-writer.ts'
import { SqliteEventPage } from './sqlite-event-page.ts'

/** Where the events of a list lie. */
interface Run {
  /** The chunk of a site that begins last before a position. */
  readonly chunkBefore: StatementSync
  /** Where it holds all types: the one that the list is of, as its place in `eventTypes`. Chunks without it are not even looked at. */
  readonly onlyType: number | null
}

export class SqliteEventList {
  readonly #inSnapshot: Snapshot
  readonly #all: Run
  readonly #byType: Readonly<Record<EventType, Run>>
  readonly #origin: StatementSync
  readonly #page: SqliteEventPage
  /** Memory of the chunks that the page at hand was read from. */
  readonly #chunks: ArrayBuffer[] = []

  constructor(reader: DatabaseSync, inSnapshot: Snapshot) {
    this.#inSnapshot = inSnapshot
    const run = (number: number, index: string, onlyType: EventType | null): Run => {
      const type = onlyType === null ? null : eventTypes.indexOf(onlyType)
      const chunkBefore = reader.prepare(
        `SELECT data FROM chunk INDEXED BY ${index}
         WHERE site = ? AND run = ${number} ${type === null ? '' : `AND types & ${1 << type}`} AND (first_time, first_id) < (?, ?)
         ORDER BY first_time DESC, first_id DESC LIMIT 1`,
      )
      chunkBefore.setReturnArrays(true)
      return { chunkBefore, onlyType: type }
    }
    this.#all = run(allRun, 'chunk_order', null)
    this.#byType = {
      bot: run(allRun, 'chunk_with_bots', 'bot'),
      referral: run(allRun, 'chunk_with_referrals', 'referral'),
      conversion: run(conversionRun, 'chunk_order', null),
    }
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
    page.begin(site, limit)
    const oldest = range.start * dayMs
    const end: EventPosition = { createdAt: (range.end + 1) * dayMs, id: 0 }
    const run = type === null ? this.#all : this.#byType[type]
    let before = after && isOlder(after, end) ? after : end
    if (before.createdAt < oldest) return
    while (page.count < limit) {
      const chunk = this.#chunkBefore(run, site, before)
      if (!chunk) return
      const first = chunk.countBefore(oldest, 0)
      page.add(chunk, first, chunk.countBefore(before.createdAt, before.id), run.onlyType)
      if (first > 0) return
      before = { createdAt: chunk.time(0), id: chunk.id(0) }
    }
  }

  #find(site: number, { createdAt, id }: EventPosition): StoredEvent | null {
    const chunk = this.#chunkBefore(this.#all, site, { createdAt, id: id + 1 })
    if (!chunk) return null
    const end = chunk.countBefore(createdAt, id + 1)
    const at = end - 1
    if (chunk.time(at) !== createdAt || chunk.id(at) !== id) return null
    this.#page.begin(site, 1)
    this.#page.add(chunk, at, end, null)
    const provenance = this.#provenance(chunk.origin(at))
    const sighting = chunk.sighting(at)
    const seenBy = sighting === 0 ? [provenance.arrival] : arrivalsOf(waysOf(sighting))
    return { ...this.#page.events()[0]!, provenance, seenBy }
  }

  /** The newest chunk of a run with events before a position; null when there is none. */
  #chunkBefore(run: Run, site: number, before: EventPosition): ChunkReader | null {
    const row = run.chunkBefore.get(site, before.createdAt, before.id)
    if (!row) return null
    const [bytes] = row as unknown as [Uint8Array<ArrayBuffer>]
    this.#chunks.push(bytes.buffer)
    return new ChunkReader(bytes)
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
