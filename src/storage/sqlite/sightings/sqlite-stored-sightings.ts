/** The stored events of one site around a moment that only moves forward: no chunk is read that cannot matter. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { encodeChunk } from '../chunks/sqlite-chunk.ts'
import { ChunkReader } from '../chunks/sqlite-chunk-reader.ts'
import { allRun } from '../chunks/sqlite-chunk-writer.ts'
import type { EventColumns } from '../chunks/sqlite-event-columns.ts'
import type { SqliteDictionary } from '../sqlite-dictionary.ts'
import { SightedEvents, type SightingHolder } from './sqlite-sighted-events.ts'
import { fingerprintOf, sightingOf, waysOf } from './sqlite-sighting.ts'

type Row = Record<string, unknown>

export class StoredSightings {
  readonly #before: StatementSync
  readonly #after: StatementSync
  readonly #update: StatementSync
  readonly #dictionary: SqliteDictionary

  constructor(database: DatabaseSync, dictionary: SqliteDictionary) {
    this.#dictionary = dictionary
    const ofRun = `SELECT id, first_time, first_id, data FROM chunk WHERE site = ? AND run = ${allRun}`
    this.#before = database.prepare(
      `${ofRun} AND (first_time, first_id) <= (?, ?) ORDER BY first_time DESC, first_id DESC LIMIT 1`,
    )
    this.#after = database.prepare(
      `${ofRun} AND (first_time, first_id) > (?, ?) ORDER BY first_time, first_id LIMIT 1`,
    )
    this.#update = database.prepare('UPDATE chunk SET data = ? WHERE id = ?')
  }

  before(site: number, time: number): Row | undefined {
    return this.#before.get(site, time, 0)
  }

  after(site: number, time: number, id: number): Row | undefined {
    return this.#after.get(site, time, id)
  }

  save(id: number, data: Uint8Array): void {
    this.#update.run(data, id)
  }

  subjectOf(origin: number): number {
    return this.#dictionary.subjectOf(origin)
  }
}

/** A chunk with the events in it that have a sighting. */
export class SightedChunk implements SightingHolder {
  readonly events = new SightedEvents()
  readonly lastTime: number
  readonly #stored: StoredSightings
  readonly #id: number
  readonly #reader: ChunkReader
  #changed: EventColumns | null = null

  constructor(stored: StoredSightings, row: Row) {
    this.#stored = stored
    this.#id = Number(row.id)
    const reader = new ChunkReader(row.data as Uint8Array)
    this.#reader = reader
    this.lastTime = reader.time(reader.count - 1)
    for (let index = 0; reader.isSighted && index < reader.count; index++) {
      const sighting = reader.sighting(index)
      if (sighting === 0) continue
      this.events.add(fingerprintOf(sighting), {
        time: reader.time(index),
        path: reader.path(index),
        subject: stored.subjectOf(reader.origin(index)),
        ways: waysOf(sighting),
        holder: this,
        index,
      })
    }
  }

  setWays(index: number, ways: number): void {
    this.#changed ??= this.#reader.columns()
    const { sighting } = this.#changed
    sighting[index] = sightingOf(fingerprintOf(sighting[index]!), ways)
  }

  /** Writes what has changed. */
  save(): void {
    if (this.#changed) this.#stored.save(this.#id, encodeChunk(this.#changed, 0, this.#changed.count))
    this.#changed = null
  }
}

/** Some 50,000 events: a flood within seconds must not make each later batch read all of it again. */
const chunksMax = 200

/** Of more events than `chunksMax` chunks hold around one moment, it shows the first. */
export class SightingWindow {
  readonly #stored: StoredSightings
  readonly #site: number
  /** In the order of time. */
  #chunks: SightedChunk[] = []
  /** The chunk behind the last of them; undefined where there is none, null before the first look. */
  #next: Row | undefined | null = null

  constructor(stored: StoredSightings, site: number) {
    this.#stored = stored
    this.#site = site
  }

  /** The events from one moment to another, and some around them. Neither moment may lie before that of an earlier call. */
  between(from: number, to: number): SightedEvents[] {
    if (this.#next === null || (this.#next && Number(this.#next.first_time) < from)) this.#jumpTo(from)
    while (this.#chunks.length > 1 && this.#chunks[0]!.lastTime < from) this.#chunks.shift()
    while (this.#next && Number(this.#next.first_time) <= to && this.#chunks.length < chunksMax)
      this.#take(this.#next)
    return this.#chunks.map(chunk => chunk.events)
  }

  #jumpTo(time: number): void {
    this.#chunks = []
    const first = this.#stored.before(this.#site, time)
    if (first) this.#take(first)
    else this.#next = this.#stored.after(this.#site, -1, 0)
  }

  #take(row: Row): void {
    this.#chunks.push(new SightedChunk(this.#stored, row))
    this.#next = this.#stored.after(this.#site, Number(row.first_time), Number(row.first_id))
  }
}
