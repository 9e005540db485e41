/** A page of events as columns that are filled again and again, and the dictionaries behind its numbers. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { eventTypes } from '../../../domain/event.ts'
import type { EventPage, ListedEvent, Subject } from '../../event-store.ts'
import { type ChunkReader, unpackCountry } from './sqlite-chunk.ts'

/** Room for the largest page of the API and the one event that tells whether more follow; longer pages make room. */
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

  /** Empties the page for events of a site. */
  begin(site: number): void {
    this.site = site
    this.count = 0
  }

  /** Adds an event of a chunk, whose time and id were read before. */
  add(type: number, time: number, id: number, chunk: ChunkReader, index: number): void {
    const at = this.count++
    if (at === this.ids.length) this.#makeRoom()
    this.times[at] = time
    this.ids[at] = id
    this.types[at] = type
    this.subjects[at] = chunk.origin(index)
    this.paths[at] = chunk.path(index)
    this.countries[at] = chunk.country(index)
    this.values[at] = chunk.value(index)
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

  #makeRoom(): void {
    this.ids = doubled(this.ids)
    this.times = doubled(this.times)
    this.types = doubled(this.types)
    this.subjects = doubled(this.subjects)
    this.paths = doubled(this.paths)
    this.countries = doubled(this.countries)
    this.values = doubled(this.values)
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

function doubled<Column extends Float64Array | Uint32Array | Uint16Array | Uint8Array>(
  column: Column,
): Column {
  const longer = new (column.constructor as new (length: number) => Column)(column.length * 2)
  longer.set(column)
  return longer
}
