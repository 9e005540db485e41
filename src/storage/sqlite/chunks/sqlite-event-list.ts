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
import type { EventListQuery, ListedEvent } from '../../event-store.ts'
import { arrivalsOf, waysOf } from '../sightings/sqlite-sighting.ts'
import type { Snapshot } from '../sqlite-snapshot.ts'
import { NumberMemory } from './number-memory.ts'
import { ChunkReader, unpackCountry } from './sqlite-chunk.ts'

/** Beyond this a memory starts again empty: texts of about 100 bytes each take 100 MiB. */
const rememberedMax = 1_000_000

interface Subject {
  readonly type: EventType
  readonly name: string
  readonly company: string
}

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
  readonly #text: StatementSync
  readonly #subject: StatementSync
  readonly #origin: StatementSync
  readonly #texts = new NumberMemory<string>(rememberedMax)
  readonly #subjects = new NumberMemory<Subject>(rememberedMax)

  constructor(reader: DatabaseSync, inSnapshot: Snapshot) {
    this.#inSnapshot = inSnapshot
    this.#chunkBefore = reader.prepare(
      `SELECT data FROM chunk WHERE site = ? AND type = ? AND (first_time, first_id) < (?, ?)
       ORDER BY first_time DESC, first_id DESC LIMIT 1`,
    )
    this.#text = reader.prepare('SELECT value FROM text WHERE id = ?')
    this.#subject = reader.prepare(
      'SELECT type, name, company FROM subject WHERE id = (SELECT subject FROM origin WHERE id = ?)',
    )
    this.#origin = reader.prepare('SELECT * FROM origin WHERE id = ?')
  }

  page(site: number, query: EventListQuery): ListedEvent[] {
    return this.#inSnapshot(() => this.#page(site, query))
  }

  find(site: number, position: EventPosition): StoredEvent | null {
    return this.#inSnapshot(() => this.#find(site, position))
  }

  #page(site: number, { range, type, after, limit }: EventListQuery): ListedEvent[] {
    const oldest = range.start * dayMs
    const end: EventPosition = { createdAt: (range.end + 1) * dayMs, id: 0 }
    const before = after && isOlder(after, end) ? after : end
    const types = type === null ? eventTypes.keys() : [eventTypes.indexOf(type)]
    const cursors: RunCursor[] = []
    for (const number of types) {
      const cursor = this.#open(site, number, before)
      if (cursor && cursor.time >= oldest) cursors.push(cursor)
    }
    const events: ListedEvent[] = []
    while (events.length < limit && cursors.length > 0) {
      let newest = cursors[0]!
      for (const cursor of cursors) {
        if (cursor.time > newest.time || (cursor.time === newest.time && cursor.id > newest.id))
          newest = cursor
      }
      events.push(this.#listed(newest))
      if (!this.#step(site, newest) || newest.time < oldest) cursors.splice(cursors.indexOf(newest), 1)
    }
    return events
  }

  #find(site: number, { createdAt, id }: EventPosition): StoredEvent | null {
    for (const type of eventTypes.keys()) {
      const cursor = this.#open(site, type, { createdAt, id: id + 1 })
      if (cursor?.time === createdAt && cursor.id === id) {
        const provenance = this.#provenance(cursor.reader.origin(cursor.index))
        const sighting = cursor.reader.sighting(cursor.index)
        const seenBy = sighting === 0 ? [provenance.arrival] : arrivalsOf(waysOf(sighting))
        return { ...this.#listed(cursor), provenance, seenBy }
      }
    }
    return null
  }

  /** The newest event of a type before a position; null when there is none. */
  #open(site: number, type: number, before: EventPosition): RunCursor | null {
    const row = this.#chunkBefore.get(site, type, before.createdAt, before.id)
    if (!row) return null
    const reader = new ChunkReader(row.data as Uint8Array, eventTypes[type] === 'conversion')
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

  #listed({ reader, index, time, id }: RunCursor): ListedEvent {
    const { type, name, company } = this.#subjectOf(reader.origin(index))
    const value = reader.value(index)
    return {
      id,
      type,
      name,
      company,
      path: this.#textOf(reader.path(index)),
      country: unpackCountry(reader.country(index)),
      createdAt: time,
      value: Number.isNaN(value) ? null : value,
    }
  }

  #subjectOf(origin: number): Subject {
    return this.#subjects.get(origin) ?? this.#readSubject(origin)
  }

  #readSubject(origin: number): Subject {
    const { type, name, company } = this.#subject.get(origin)!
    const subject = { type: eventTypes[Number(type)]!, name: String(name), company: String(company) }
    return this.#subjects.remember(origin, subject)
  }

  #textOf(id: number): string {
    return this.#texts.get(id) ?? this.#texts.remember(id, String(this.#text.get(id)!.value))
  }

  #provenance(origin: number): StoredEvent['provenance'] {
    const row = this.#origin.get(origin)!
    const text = (id: unknown): string | null => (id === 0 ? null : this.#textOf(Number(id)))
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
