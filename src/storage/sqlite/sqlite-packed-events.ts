/**
 * Events on their way to the writer thread, as columns over lists of distinct texts: typed arrays are handed over without a copy,
 * where objects would be cloned one by one (row 6 of docs/performance.md).
 */
import { arrivals, eventTypes, type NewEvent, type Provenance } from '../../domain/event.ts'
import { packCountry } from './sqlite-chunk.ts'

/** Indexes into `texts` are shifted by one, so that 0 stands for null. */
export interface PackedEvents {
  readonly count: number
  readonly texts: readonly string[]
  /** Three numbers a subject: type, name, company. */
  readonly subjects: Uint32Array<ArrayBuffer>
  /** Nine numbers an origin: subject, arrival, status, user agent, referrer host, rule, catalogue version, source, landing. */
  readonly origins: Uint32Array<ArrayBuffer>
  readonly origin: Uint32Array<ArrayBuffer>
  readonly path: Uint32Array<ArrayBuffer>
  readonly country: Uint32Array<ArrayBuffer>
  readonly time: Float64Array<ArrayBuffer>
  /** NaN for null. */
  readonly value: Float64Array<ArrayBuffer>
}

export const subjectFields = 3
export const originFields = 9

export function packEvents(events: readonly NewEvent[]): PackedEvents {
  const texts = new Interner()
  const subjects: number[] = []
  const origins: number[] = []
  // Neighbours mostly share a subject, and often the very same provenance object.
  const subjectIndexes = new Map<string, Map<string, number>>()
  const originIndexes = new Map<Provenance, Map<number, number>>()

  const subjectOf = (event: NewEvent): number => {
    const byName = childMap(subjectIndexes, event.type + event.company)
    let index = byName.get(event.name)
    if (index === undefined) {
      index = subjects.length / subjectFields
      subjects.push(eventTypes.indexOf(event.type), texts.of(event.name), texts.of(event.company))
      byName.set(event.name, index)
    }
    return index
  }
  const originOf = (event: NewEvent): number => {
    const bySubject = childMap(originIndexes, event.provenance)
    const subject = subjectOf(event)
    let index = bySubject.get(subject)
    if (index === undefined) {
      index = origins.length / originFields
      const { arrival, status, userAgent, referrerHost, rule, catalogueVersion, source, landing } =
        event.provenance
      origins.push(
        subject,
        arrivals.indexOf(arrival),
        status ?? 0,
        texts.of(userAgent),
        texts.of(referrerHost),
        texts.of(rule),
        texts.of(catalogueVersion),
        texts.of(source),
        texts.of(landing),
      )
      bySubject.set(subject, index)
    }
    return index
  }

  const count = events.length
  const origin = new Uint32Array(count)
  const path = new Uint32Array(count)
  const country = new Uint32Array(count)
  const time = new Float64Array(count)
  const value = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    const event = events[i]!
    origin[i] = originOf(event)
    path[i] = texts.of(event.path)
    country[i] = packCountry(event.country)
    time[i] = event.createdAt
    value[i] = event.value ?? Number.NaN
  }
  return {
    count,
    texts: texts.all,
    subjects: Uint32Array.from(subjects),
    origins: Uint32Array.from(origins),
    origin,
    path,
    country,
    time,
    value,
  }
}

/** The buffers that move to the writer instead of being copied. */
export const transferList = (events: PackedEvents): ArrayBuffer[] => [
  events.subjects.buffer,
  events.origins.buffer,
  events.origin.buffer,
  events.path.buffer,
  events.country.buffer,
  events.time.buffer,
  events.value.buffer,
]

class Interner {
  readonly all: string[] = []
  readonly #indexes = new Map<string, number>()

  of(text: string | null): number {
    if (text === null) return 0
    let index = this.#indexes.get(text)
    if (index === undefined) {
      index = this.all.push(text)
      this.#indexes.set(text, index)
    }
    return index
  }
}

function childMap<K, L, V>(map: Map<K, Map<L, V>>, key: K): Map<L, V> {
  let child = map.get(key)
  if (child === undefined) {
    child = new Map()
    map.set(key, child)
  }
  return child
}
