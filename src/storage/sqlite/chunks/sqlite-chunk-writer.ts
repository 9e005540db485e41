/**
 * Puts events of one site into their chunks, keeping those of a run disjoint and in the order of (time, id). A site has two runs: one of
 * all its events, which every list of several types reads, and one of its conversions again, which are few, for what reads
 * nothing else (rows 4 and 10 of docs/performance.md).
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { chunkBytesMax, countThatFits, encodeChunk, typesOf } from './sqlite-chunk.ts'
import { ChunkReader } from './sqlite-chunk-reader.ts'
import { ColumnMemory } from './sqlite-column-memory.ts'
import {
  concatenate,
  conversionType,
  type EventColumns,
  isBefore,
  mergeColumns,
  type Position,
  slice,
  sortByTime,
  withType,
} from './sqlite-event-columns.ts'

/** Numbers of runs. Files from before there was one of all events had one a type. */
export const conversionRun = conversionType
export const allRun = 3

interface StoredChunk extends Position {
  readonly rowId: number
  readonly types: number
  readonly events: EventColumns
}

export class ChunkWriter {
  readonly #before: StatementSync
  readonly #after: StatementSync
  readonly #borderAfter: StatementSync
  readonly #insert: StatementSync
  readonly #replace: StatementSync
  readonly #replaceData: StatementSync
  readonly #storedMemory = new ColumnMemory()
  readonly #mergedMemory = new ColumnMemory()
  readonly #encodedMemory = new Uint8Array(chunkBytesMax)

  constructor(database: DatabaseSync) {
    const chunk = 'SELECT id, first_time, first_id, types, data'
    const ofRun = 'FROM chunk WHERE site = ? AND run = ?'
    this.#before = database.prepare(
      `${chunk} ${ofRun} AND (first_time, first_id) <= (?, ?) ORDER BY first_time DESC, first_id DESC LIMIT 1`,
    )
    this.#after = database.prepare(
      `${chunk} ${ofRun} AND (first_time, first_id) > (?, ?) ORDER BY first_time, first_id LIMIT 1`,
    )
    // Of the index alone: of most chunks that come next, only where they begin matters.
    this.#borderAfter = database.prepare(
      `SELECT first_time, first_id ${ofRun} AND (first_time, first_id) > (?, ?)
       ORDER BY first_time, first_id LIMIT 1`,
    )
    this.#insert = database.prepare(
      'INSERT INTO chunk (site, run, first_time, first_id, data, types) VALUES (?, ?, ?, ?, ?, ?)',
    )
    this.#replace = database.prepare(
      'UPDATE chunk SET first_time = ?, first_id = ?, data = ?, types = ? WHERE id = ?',
    )
    // Leaves the indexes alone: most chunks grow at their end.
    this.#replaceData = database.prepare('UPDATE chunk SET data = ? WHERE id = ?')
    for (const statement of [this.#before, this.#after, this.#borderAfter]) statement.setReturnArrays(true)
  }

  /** `runs` by type, each list in any order of time; together they have at least one event. */
  write(site: number, runs: readonly (readonly EventColumns[])[]): void {
    const byType = runs.map(ofType => (ofType.length > 0 ? sortByTime(concatenate(ofType)) : null))
    const all = byType
      .flatMap((events, type) => (events ? [withType(events, type)] : []))
      .reduce((merged, events) => mergeColumns(merged, events))
    this.#writeRun(site, allRun, all)
    const conversions = byType[conversionType]
    if (conversions) this.#writeRun(site, conversionRun, withoutSightings(conversions))
  }

  #writeRun(site: number, run: number, events: EventColumns): void {
    let from = 0
    while (from < events.count) from = this.#writeFrom(site, run, events, from)
  }

  /** Writes the events that belong to the chunk of the event at `from`; returns where the next chunk's events start. */
  #writeFrom(site: number, run: number, events: EventColumns, from: number): number {
    const first: Position = { time: events.time[from]!, id: events.id[from]! }
    const before = this.#chunkOf(this.#before.get(site, run, first.time, first.id))
    const home = before ?? this.#chunkOf(this.#after.get(site, run, first.time, first.id))
    const next = home && this.#positionAfter(site, run, before ? first : home)
    let to = from + 1
    if (next) while (to < events.count && isBefore(events, to, next)) to++
    else to = events.count
    const added = slice(events, from, to)
    if (!home) this.#put(site, run, null, added, true)
    else this.#put(site, run, home, this.#merge(home.events, added), !next || isBehind(added, home.events))
    return to
  }

  #merge(stored: EventColumns, added: EventColumns): EventColumns {
    const columns = this.#mergedMemory.columns(
      stored.count + added.count,
      stored.type !== null,
      stored.value !== null,
    )
    return mergeColumns(stored, added, columns)
  }

  #chunkOf(row: unknown): StoredChunk | null {
    if (!row) return null
    const [rowId, time, id, types, data] = row as [number, number, number, number, Uint8Array]
    return { rowId, time, id, types, events: new ChunkReader(data).columns(this.#storedMemory) }
  }

  #positionAfter(site: number, run: number, { time, id }: Position): Position | null {
    const row = this.#borderAfter.get(site, run, time, id)
    if (!row) return null
    const [nextTime, nextId] = row as unknown as [number, number]
    return { time: nextTime, id: nextId }
  }

  /** Replaces the chunk `home` (or makes new ones). Where events only follow, chunks are filled up; others are split evenly. */
  #put(site: number, run: number, home: StoredChunk | null, events: EventColumns, fillUp: boolean): void {
    const sizeMax = fillUp || countThatFits(events, 0) === events.count ? events.count : evenSize(events)
    let start = 0
    while (start < events.count) {
      const end = start + Math.min(sizeMax, countThatFits(events, start))
      // The chunk that was there first: a later part may begin where it began until now, and no moment may have two such chunks.
      if (start === 0 && home) this.#change(home, events, end)
      else {
        const data = encodeChunk(events, start, end, this.#encodedMemory)
        this.#insert.run(
          ...[site, run, events.time[start]!, events.id[start]!, data, typesOf(events, start, end)],
        )
      }
      start = end
    }
  }

  /** Makes it the first `end` of the events, among which are its own. */
  #change(home: StoredChunk, events: EventColumns, end: number): void {
    const isSame = end === home.events.count && events.id[end - 1] === home.events.id[end - 1]
    if (isSame) return
    const [time, id, types] = [events.time[0]!, events.id[0]!, typesOf(events, 0, end)]
    const data = encodeChunk(events, 0, end, this.#encodedMemory)
    const isIndexed = time === home.time && id === home.id && types === home.types
    if (isIndexed) this.#replaceData.run(data, home.rowId)
    else this.#replace.run(time, id, data, types, home.rowId)
  }
}

/** Events of each of as few chunks as hold them. */
function evenSize(events: EventColumns): number {
  let parts = 0
  for (let start = 0; start < events.count; start += countThatFits(events, start)) parts++
  return Math.ceil(events.count / parts)
}

const withoutSightings = (events: EventColumns): EventColumns => ({
  ...events,
  sighting: new Float64Array(events.count),
})

const isBehind = (events: EventColumns, stored: EventColumns): boolean =>
  !isBefore(events, 0, { time: stored.time[stored.count - 1]!, id: stored.id[stored.count - 1]! })
