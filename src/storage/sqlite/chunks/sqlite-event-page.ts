/** A page of events as columns that are filled again and again, and the dictionaries behind its numbers. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { eventTypes } from '../../../domain/event.ts'
import type { EventPage, ListedEvent, Subject } from '../../event-store.ts'
import type { ChunkReader } from './sqlite-chunk-reader.ts'
import { conversionType, unpackCountry } from './sqlite-event-columns.ts'

/** Room for the largest page of the API and the one event that tells whether more follow. */
const placesAtFirst = 1_001

/** Entries of a dictionary that rows have named, which never change; beyond this it is forgotten all at once. */
const rememberedMax = 100_000

/**
 * Texts that a site named after each other are met together and lie on one page of the database: reading so many costs little more than
 * reading one (row 4 of docs/performance.md, whose server has just started).
 */
const nearNumbers = 32
const firstNear = (number: number): number => number - (number % nearNumbers)

type SubjectRow = [id: number, type: number, name: string, company: string]

export class SqliteEventPage implements EventPage {
  site = 0
  count = 0
  ids = new Float64Array(placesAtFirst)
  times = new Float64Array(placesAtFirst)
  types = new Uint8Array(placesAtFirst)
  subjects = new Uint32Array(placesAtFirst)
  paths = new Uint32Array(placesAtFirst)
  countries = new Uint16Array(placesAtFirst)
  values = new Float64Array(placesAtFirst)
  #limit = 0
  /** Places in a chunk. */
  #places = new Uint16Array(placesAtFirst)
  readonly #texts: StatementSync
  readonly #subjects: StatementSync
  readonly #knownPath = remembering(number => this.pathsNear(number))
  readonly #knownSubject = remembering(number => this.subjectsNear(number))

  constructor(reader: DatabaseSync) {
    // `+` keeps SQLite from going through all texts of the site.
    this.#texts = reader.prepare('SELECT id, value FROM text WHERE id >= ? AND id < ? AND +site = ?')
    this.#subjects = reader.prepare(
      `SELECT origin.id, type, name, company FROM origin CROSS JOIN subject ON subject.id = origin.subject
       WHERE origin.id >= ? AND origin.id < ? AND +origin.site = ?`,
    )
    for (const statement of [this.#texts, this.#subjects]) statement.setReturnArrays(true)
  }

  /** Empties the page for up to `limit` events of a site. */
  begin(site: number, limit: number): void {
    this.site = site
    this.count = 0
    this.#limit = limit
    if (limit > this.ids.length) this.#makeRoom(limit)
  }

  /** Adds the events of a chunk from `end` down to `start`, or as many as there is room for; of one type, where it is given. */
  add(chunk: ChunkReader, start: number, end: number, onlyType: number | null): void {
    if (onlyType !== null) {
      this.#addOfType(chunk, start, end, onlyType)
      return
    }
    const at = this.count
    const count = Math.min(end - start, this.#limit - at)
    chunk.pickDown('time', end, count, this.times, at)
    chunk.pickDown('id', end, count, this.ids, at)
    chunk.pickDown('origin', end, count, this.subjects, at)
    chunk.pickDown('path', end, count, this.paths, at)
    chunk.pickDown('country', end, count, this.countries, at)
    if (!chunk.isTyped) this.types.fill(conversionType, at, at + count)
    else for (let i = 0; i < count; i++) this.types[at + i] = chunk.type(end - 1 - i)
    chunk.pickValues(end - count, end, this.values, at)
    this.count += count
  }

  /** Bots or referrals, which have no values. */
  #addOfType(chunk: ChunkReader, start: number, end: number, type: number): void {
    const at = this.count
    const places = this.#places
    let count = 0
    for (let place = end - 1; place >= start && at + count < this.#limit; place--)
      if (chunk.type(place) === type) places[count++] = place
    chunk.pick('time', places, count, this.times, at)
    chunk.pick('id', places, count, this.ids, at)
    chunk.pick('origin', places, count, this.subjects, at)
    chunk.pick('path', places, count, this.paths, at)
    chunk.pick('country', places, count, this.countries, at)
    this.types.fill(type, at, at + count)
    this.values.fill(Number.NaN, at, at + count)
    this.count += count
  }

  /** The numbers of `subjects` are those of origins, each of which has one subject. */
  subjectsNear(origin: number): Map<number, Subject> {
    const first = firstNear(origin)
    const rows = this.#subjects.all(first, first + nearNumbers, this.site) as unknown as SubjectRow[]
    return new Map(rows.map(([id, type, name, company]) => [id, { type: eventTypes[type]!, name, company }]))
  }

  pathsNear(number: number): Map<number, string> {
    const first = firstNear(number)
    return new Map(this.#texts.all(first, first + nearNumbers, this.site) as unknown as [number, string][])
  }

  /** A text of the site of the page. */
  text(number: number): string {
    return this.pathsNear(number).get(number)!
  }

  /** Its events one by one, for whom rows are handier. */
  events(): ListedEvent[] {
    return Array.from({ length: this.count }, (_, at) => this.#event(at))
  }

  #event(at: number): ListedEvent {
    const value = this.values[at]!
    return {
      id: this.ids[at]!,
      ...this.#knownSubject(this.subjects[at]!),
      path: this.#knownPath(this.paths[at]!),
      country: unpackCountry(this.countries[at]!),
      createdAt: this.times[at]!,
      value: Number.isNaN(value) ? null : value,
    }
  }

  #makeRoom(limit: number): void {
    this.ids = new Float64Array(limit)
    this.times = new Float64Array(limit)
    this.types = new Uint8Array(limit)
    this.subjects = new Uint32Array(limit)
    this.paths = new Uint32Array(limit)
    this.countries = new Uint16Array(limit)
    this.values = new Float64Array(limit)
    this.#places = new Uint16Array(limit)
  }
}

function remembering<Value>(near: (number: number) => ReadonlyMap<number, Value>): (number: number) => Value {
  const known = new Map<number, Value>()
  return number => {
    let value = known.get(number)
    if (value === undefined) {
      if (known.size >= rememberedMax) known.clear()
      for (const [each, found] of near(number)) known.set(each, found)
      value = known.get(number)!
    }
    return value
  }
}
