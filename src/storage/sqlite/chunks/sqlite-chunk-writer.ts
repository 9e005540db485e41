/** Puts events of one site and type into their chunks, keeping chunks disjoint and in the order of (time, id). */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import {
  allocateColumns,
  ChunkReader,
  chunkEventsMax,
  copyEvent,
  type EventColumns,
  encodeChunk,
  hasSightings,
  mergeColumns,
} from './sqlite-chunk.ts'

export class ChunkWriter {
  readonly #before: StatementSync
  readonly #after: StatementSync
  readonly #borderAfter: StatementSync
  readonly #insert: StatementSync
  readonly #update: StatementSync

  constructor(database: DatabaseSync) {
    const ofRun = 'FROM chunk WHERE site = ? AND type = ?'
    this.#before = database.prepare(
      `SELECT id, data, first_time, first_id ${ofRun} AND (first_time, first_id) <= (?, ?)
       ORDER BY first_time DESC, first_id DESC LIMIT 1`,
    )
    this.#after = database.prepare(
      `SELECT id, data, first_time, first_id ${ofRun} AND (first_time, first_id) > (?, ?)
       ORDER BY first_time, first_id LIMIT 1`,
    )
    // Of the index alone: of most chunks that come next, only where they begin matters.
    this.#borderAfter = database.prepare(
      `SELECT first_time, first_id ${ofRun} AND (first_time, first_id) > (?, ?)
       ORDER BY first_time, first_id LIMIT 1`,
    )
    this.#insert = database.prepare(
      'INSERT INTO chunk (site, type, first_time, first_id, data) VALUES (?, ?, ?, ?, ?)',
    )
    this.#update = database.prepare('UPDATE chunk SET first_time = ?, first_id = ?, data = ? WHERE id = ?')
  }

  /** `runs` in any order of time; together they have at least one event. */
  write(site: number, type: number, runs: readonly EventColumns[]): void {
    const events = sortByTime(concatenate(runs))
    let from = 0
    while (from < events.count) from = this.#writeFrom(site, type, events, from)
  }

  /** Writes the events that belong to the chunk of the event at `from`; returns where the next chunk's events start. */
  #writeFrom(site: number, type: number, events: EventColumns, from: number): number {
    const time = events.time[from]!
    const id = events.id[from]!
    const before = this.#before.get(site, type, time, id)
    const home = before ?? this.#after.get(site, type, time, id)
    const next = before
      ? this.#borderAfter.get(site, type, time, id)
      : home && this.#borderAfter.get(site, type, home.first_time!, home.first_id!)
    let to = from + 1
    if (next) {
      const limit = { time: Number(next.first_time), id: Number(next.first_id) }
      while (to < events.count && isBefore(events, to, limit)) to++
    } else to = events.count
    const added = slice(events, from, to)
    if (!home) {
      this.#put(site, type, null, added, true)
      return to
    }
    const reader = new ChunkReader(home.data as Uint8Array, events.value !== null)
    const stored = allocateColumns(reader.count, events.value !== null)
    reader.copyTo(stored, 0)
    const fillUp = !next || isBehind(added, stored)
    this.#put(site, type, Number(home.id), mergeColumns(stored, added), fillUp)
    return to
  }

  /** Replaces the chunk `home` (or makes new ones). Where events only follow, chunks are filled up; others are split evenly. */
  #put(site: number, type: number, home: number | null, events: EventColumns, fillUp: boolean): void {
    const max = chunkEventsMax(events.value !== null, hasSightings(events))
    const parts = Math.ceil(events.count / max)
    const size = fillUp ? max : Math.ceil(events.count / parts)
    // The chunk that was there first: a later part may begin where it began until now, and no moment may have two such chunks.
    for (let start = 0; start < events.count; start += size) {
      const data = encodeChunk(events, start, Math.min(start + size, events.count))
      const firstTime = events.time[start]!
      const firstId = events.id[start]!
      if (start === 0 && home !== null) this.#update.run(firstTime, firstId, data, home)
      else this.#insert.run(site, type, firstTime, firstId, data)
    }
  }
}

const isBehind = (events: EventColumns, stored: EventColumns): boolean =>
  !isBefore(events, 0, { time: stored.time[stored.count - 1]!, id: stored.id[stored.count - 1]! })

const isBefore = (events: EventColumns, index: number, limit: { time: number; id: number }): boolean =>
  events.time[index]! < limit.time || (events.time[index] === limit.time && events.id[index]! < limit.id)

function concatenate(runs: readonly EventColumns[]): EventColumns {
  if (runs.length === 1) return runs[0]!
  const count = runs.reduce((sum, run) => sum + run.count, 0)
  const all = allocateColumns(count, runs[0]!.value !== null)
  let at = 0
  for (const run of runs) for (let i = 0; i < run.count; i++) copyEvent(run, i, all, at++)
  return all
}

/** Ids already ascend in the order of arrival, so a stable sort by time is the order of (time, id). */
function sortByTime(events: EventColumns): EventColumns {
  let sorted = true
  for (let i = 1; sorted && i < events.count; i++) sorted = events.time[i - 1]! <= events.time[i]!
  if (sorted) return events
  const order = Array.from({ length: events.count }, (_, i) => i).sort(
    (a, b) => events.time[a]! - events.time[b]!,
  )
  const result = allocateColumns(events.count, events.value !== null)
  order.forEach((from, to) => {
    copyEvent(events, from, result, to)
  })
  return result
}

function slice(events: EventColumns, from: number, to: number): EventColumns {
  if (from === 0 && to === events.count) return events
  return {
    count: to - from,
    time: events.time.subarray(from, to),
    id: events.id.subarray(from, to),
    origin: events.origin.subarray(from, to),
    path: events.path.subarray(from, to),
    country: events.country.subarray(from, to),
    sighting: events.sighting.subarray(from, to),
    value: events.value?.subarray(from, to) ?? null,
  }
}
