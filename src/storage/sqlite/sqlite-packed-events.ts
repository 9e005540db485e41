/**
 * Events on their way to the writer thread, as columns over lists of distinct texts: typed arrays are handed over without a copy,
 * where objects would be cloned one by one (row 6 of docs/performance.md).
 */
import { arrivals, eventTypes, type NewEvent, type Provenance } from '../../domain/event.ts'
import type { EventBatch, EventSequence } from '../event-store.ts'
import { packCountry } from './chunks/sqlite-event-columns.ts'
import { type FindFingerprints, wayOf } from './sightings/sqlite-sighting.ts'

/** Small batches are plain arrays, since they cross over as JSON, in less time than their buffers take (row 7). */
export type Numbers = Uint32Array<ArrayBuffer> | number[]
type Doubles = Float64Array<ArrayBuffer> | number[]
const bufferFrom = 50

export type PackedBatch = Omit<EventBatch, 'events'> & {
  readonly events: PackedEvents
  /** Of a single event: the text under which the writer is to remember its origin. */
  readonly originText?: string
}

/** A batch between the threads; JSON if it is small. */
export type HandedBatch = PackedBatch | string

/** Indexes into `texts` are shifted by one, so that 0 stands for null. */
export interface PackedEvents {
  readonly count: number
  readonly texts: readonly string[]
  /** Three numbers a subject: type, name, company. */
  readonly subjects: Numbers
  /** Nine numbers an origin: subject, arrival, status, user agent, referrer host, rule, catalogue version, source, landing. */
  readonly origins: Numbers
  readonly origin: Numbers
  readonly path: Numbers
  readonly country: Numbers
  readonly time: Doubles
  /** NaN for null. */
  readonly value: Doubles
  /** FingerprintPair of the client; 0 for none. */
  readonly client: Numbers
  /** Ways in that reported it, as bits; 0 without a client. */
  readonly ways: Numbers
  /** All of `ways` together. */
  readonly allWays: number
}

export const subjectFields = 3
export const originFields = 9

export const packEvents = (events: EventSequence, fingerprintsOf: FindFingerprints): PackedEvents =>
  new Packing(events.length, fingerprintsOf).pack(events)

/**
 * One batch on its way into columns. Its methods are compiled once, where functions within a function would be compiled anew for each
 * batch (row 9 of docs/performance.md).
 */
class Packing {
  readonly #fingerprintsOf: FindFingerprints
  readonly #texts = new Interner()
  readonly #subjects: number[] = []
  readonly #origins: number[] = []
  // Neighbours mostly share a subject, and often the very same provenance object.
  readonly #subjectIndexes = new Map<string, Map<string, number>>()
  readonly #originIndexes = new Map<Provenance, Map<number, number>>()
  /** A provenance with a rule has one subject: the event that it was met with first tells for the others (rows 6 and 9 of docs/performance.md). */
  readonly #met = new Map<Provenance, { readonly event: NewEvent; readonly index: number }>()
  readonly #count: number
  readonly #isLarge: boolean
  readonly #origin: Numbers
  readonly #path: Numbers
  readonly #country: Numbers
  readonly #client: Numbers
  readonly #ways: Numbers
  readonly #time: Doubles
  readonly #value: Doubles
  #allWays = 0

  constructor(count: number, fingerprintsOf: FindFingerprints) {
    const isLarge = count >= bufferFrom
    const numbers = (): Numbers => (isLarge ? new Uint32Array(count) : new Array<number>(count).fill(0))
    const doubles = (): Doubles => (isLarge ? new Float64Array(count) : new Array<number>(count).fill(0))
    this.#fingerprintsOf = fingerprintsOf
    this.#count = count
    this.#isLarge = isLarge
    this.#origin = numbers()
    this.#path = numbers()
    this.#country = numbers()
    this.#client = numbers()
    this.#ways = numbers()
    this.#time = doubles()
    this.#value = doubles()
  }

  pack(events: EventSequence): PackedEvents {
    for (let i = 0; i < this.#count; i++) this.#pack(i, events.at(i)!)
    return {
      count: this.#count,
      texts: this.#texts.all,
      subjects: this.#isLarge ? Uint32Array.from(this.#subjects) : this.#subjects,
      origins: this.#isLarge ? Uint32Array.from(this.#origins) : this.#origins,
      origin: this.#origin,
      path: this.#path,
      country: this.#country,
      time: this.#time,
      value: this.#value,
      client: this.#client,
      ways: this.#ways,
      allWays: this.#allWays,
    }
  }

  // A function by itself is compiled once, where the loop of a large batch would be compiled in its middle.
  #pack(i: number, event: NewEvent): void {
    const origin = this.#originOf(event)
    this.#origin[i] = origin
    this.#path[i] = this.#texts.of(event.path)
    this.#country[i] = packCountry(event.country)
    this.#time[i] = event.createdAt
    this.#value[i] = event.value ?? Number.NaN
    if (event.client !== undefined) {
      const way = wayOf(this.#origins[origin * originFields + 1]!)
      this.#client[i] = this.#fingerprintsOf(event.createdAt, event.provenance.userAgent, event.client)
      this.#ways[i] = way
      this.#allWays |= way
    }
  }

  #originOf(event: NewEvent): number {
    const first = this.#met.get(event.provenance)
    if (first !== undefined && isSameSubject(first.event, event)) return first.index
    const index = this.#newOriginOf(event)
    if (first === undefined) this.#met.set(event.provenance, { event, index })
    return index
  }

  #newOriginOf(event: NewEvent): number {
    const bySubject = childMap(this.#originIndexes, event.provenance)
    const subject = this.#subjectOf(event)
    let index = bySubject.get(subject)
    if (index === undefined) {
      const texts = this.#texts
      index = this.#origins.length / originFields
      const { arrival, status, userAgent, referrerHost, rule, catalogueVersion, source, landing } =
        event.provenance
      this.#origins.push(
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

  #subjectOf(event: NewEvent): number {
    const byName = childMap(this.#subjectIndexes, event.type + event.company)
    let index = byName.get(event.name)
    if (index === undefined) {
      index = this.#subjects.length / subjectFields
      const texts = this.#texts
      this.#subjects.push(eventTypes.indexOf(event.type), texts.of(event.name), texts.of(event.company))
      byName.set(event.name, index)
    }
    return index
  }
}

const isSameSubject = (a: NewEvent, b: NewEvent): boolean =>
  a.name === b.name && a.type === b.type && a.company === b.company

/** The events at `fresh` alone, with `ways`. Texts and subjects stay where they are; origins that nobody needs any more go. */
export function selectEvents(
  events: PackedEvents,
  { fresh: indexes, ways }: { readonly fresh: readonly number[]; readonly ways: Numbers },
): PackedEvents {
  const origins: number[] = []
  const movedTo = new Map<number, number>()
  const originOf = (index: number): number => {
    let moved = movedTo.get(index)
    if (moved === undefined) {
      moved = origins.length / originFields
      origins.push(...events.origins.slice(index * originFields, (index + 1) * originFields))
      movedTo.set(index, moved)
    }
    return moved
  }
  const origin = Uint32Array.from(indexes, index => originOf(events.origin[index]!))
  return {
    count: indexes.length,
    texts: events.texts,
    subjects: events.subjects,
    origins: Uint32Array.from(origins),
    origin,
    path: Uint32Array.from(indexes, index => events.path[index]!),
    country: Uint32Array.from(indexes, index => events.country[index]!),
    time: Float64Array.from(indexes, index => events.time[index]!),
    value: Float64Array.from(indexes, index => events.value[index]!),
    client: Uint32Array.from(indexes, index => events.client[index]!),
    ways: Uint32Array.from(indexes, index => ways[index]!),
    allWays: indexes.reduce((all, index) => all | ways[index]!, 0),
  }
}

/** Whether a batch writes anything. What comes in with any other is gathered before it is stored (sqlite-intake-notes.ts). */
export const leavesTrace = (
  { idempotency, importProgress }: Pick<EventBatch, 'idempotency' | 'importProgress'>,
  { count }: PackedEvents,
): boolean => count > 0 || idempotency !== undefined || importProgress !== undefined

/** A batch as the writer gets it, and the buffers that move there instead of being copied. */
export function handOver(batch: PackedBatch): { handed: HandedBatch; transfers: ArrayBuffer[] } {
  if (batch.events.count < bufferFrom) return { handed: JSON.stringify(batch), transfers: [] }
  const columns = Object.values(batch.events).filter(ArrayBuffer.isView)
  return { handed: batch, transfers: columns.map(({ buffer }) => buffer as ArrayBuffer) }
}

export function takeOver(handed: HandedBatch): PackedBatch {
  if (typeof handed !== 'string') return handed
  const batch = JSON.parse(handed) as PackedBatch & { readonly events: { value: (number | null)[] } }
  // JSON has no NaN.
  const { value } = batch.events
  for (let i = 0; i < value.length; i++) value[i] ??= Number.NaN
  return batch
}

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
