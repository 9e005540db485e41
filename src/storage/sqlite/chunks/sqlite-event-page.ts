/** A page of events as columns that are filled again and again, and the dictionaries behind its numbers. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { eventTypes } from '../../../domain/event.ts'
import type { EventPage, ListedEvent, Subject } from '../../event-store.ts'
import { type ChunkReader, unpackCountry } from './sqlite-chunk.ts'

/** Room for the largest page of the API and the one event that tells whether more follow; longer pages make room. */
const placesAtFirst = 1_001

/** Entries of a dictionary that rows have named, which never change; beyond this it is forgotten all at once. */
const rememberedMax = 100_000

export class SqliteEventPage implements EventPage {
  count = 0
  ids = new Float64Array(placesAtFirst)
  times = new Float64Array(placesAtFirst)
  types = new Uint8Array(placesAtFirst)
  subjects = new Uint32Array(placesAtFirst)
  paths = new Uint32Array(placesAtFirst)
  countries = new Uint16Array(placesAtFirst)
  values = new Float64Array(placesAtFirst)
  readonly #text: StatementSync
  readonly #subject: StatementSync
  readonly #knownPath = remembering(number => this.path(number))
  readonly #knownSubject = remembering(number => this.subject(number))

  constructor(reader: DatabaseSync) {
    this.#text = reader.prepare('SELECT value FROM text WHERE id = ?')
    this.#subject = reader.prepare(
      'SELECT type, name, company FROM subject WHERE id = (SELECT subject FROM origin WHERE id = ?)',
    )
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

  /** The subject of an origin: the numbers of `subjects` are those of origins, each of which has one subject. */
  subject(origin: number): Subject {
    const { type, name, company } = this.#subject.get(origin)!
    return { type: eventTypes[Number(type)]!, name: String(name), company: String(company) }
  }

  path(number: number): string {
    return String(this.#text.get(number)!.value)
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

function remembering<Value>(find: (number: number) => Value): (number: number) => Value {
  const known = new Map<number, Value>()
  return number => {
    let value = known.get(number)
    if (value === undefined) {
      value = find(number)
      if (known.size >= rememberedMax) known.clear()
      known.set(number, value)
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
