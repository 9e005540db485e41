/**
 * Finds the events of a batch whose request another way in has reported before (docs/decisions/0004). Two reports by one way in are
 * always two requests, so what is counted is the most that any way in saw.
 */
import type { DatabaseSync } from 'node:sqlite'
import { eventTypes, sameRequestMs } from '../../../domain/event.ts'
import type { EventColumns } from '../chunks/sqlite-event-columns.ts'
import type { SqliteDictionary } from '../sqlite-dictionary.ts'
import { type Numbers, originFields, type PackedEvents, subjectFields } from '../sqlite-packed-events.ts'
import {
  nearestReport,
  type SeenRequest,
  type SightedEvent,
  SightedEvents,
  type SightingHolder,
} from './sqlite-sighted-events.ts'
import { fingerprintOf, ownFingerprint, sightingOf, waysOf } from './sqlite-sighting.ts'
import { SightedChunk, SightingWindow, StoredSightings } from './sqlite-stored-sightings.ts'

/** What a batch comes to. Nothing has changed before `keep`; a batch that is refused needs `forget` instead. */
export interface Matches {
  /** Indexes of the events that nobody has reported before. */
  readonly fresh: readonly number[]
  /** Of all events of the batch, as PackedEvents.ways: an event further on in it may report the same request. */
  readonly ways: Numbers
  keep(): void
  forget(): void
}

export class RequestMatcher {
  readonly #dictionary: SqliteDictionary
  readonly #stored: StoredSightings

  constructor(database: DatabaseSync, dictionary: SqliteDictionary) {
    this.#dictionary = dictionary
    this.#stored = new StoredSightings(database, dictionary)
  }

  /** `gathered`: what the transaction is about to store of the site. */
  match(site: number, events: PackedEvents, gathered: GatheredSightings): Matches {
    const isFresh = new Uint8Array(events.count).fill(1)
    const ways = events.ways.slice()
    const ofBatch: SightingHolder = {
      setWays(index, all) {
        ways[index] = all
      },
    }
    /** With the ways in that had reported them before. */
    const matched = new Map<SightedEvent, number>()
    const requestOf = this.#requests(site, events)
    const window = new SightingWindow(this.#stored, site)
    const seenInBatch = new SightedEvents()
    const others = [gathered.all(), seenInBatch]
    for (const index of sighted(events)) {
      const request = requestOf(index)
      const { time } = request
      const [clients, way] = [events.client[index]!, events.ways[index]!]
      const stored = window.between(time - sameRequestMs, time + sameRequestMs)
      const found = nearestReport([...stored, ...others], request, clients, way)
      if (found) {
        if (!matched.has(found)) matched.set(found, found.ways)
        found.ways |= way
        if (found.holder === ofBatch) ofBatch.setWays(found.index, found.ways)
        isFresh[index] = 0
      } else if (way !== events.allWays) {
        // Only a batch from several ways in can report a request twice.
        seenInBatch.add(ownFingerprint(clients), { ...request, ways: way, holder: ofBatch, index })
      }
    }
    return {
      fresh: Array.from(isFresh.keys()).filter(index => isFresh[index] === 1),
      ways,
      keep: () => keepWays(matched.keys()),
      forget: () => {
        for (const [event, before] of matched) event.ways = before
      },
    }
  }

  /** What is in no dictionary yet is known by a negative number: it can only be met again within the batch. */
  #requests(site: number, events: PackedEvents): (index: number) => SeenRequest {
    const text = (index: number): string => events.texts[index - 1]!
    const paths = new Map<number, number>()
    const pathOf = (path: number): number =>
      remembered(paths, path, () => this.#dictionary.findText(site, text(path)) ?? -path)
    const subjects = new Map<number, number>()
    const subjectOf = (subject: number): number =>
      remembered(subjects, subject, () => {
        const first = subject * subjectFields
        const [type, name, company] = events.subjects.slice(first, first + subjectFields)
        return this.#dictionary.findSubject(site, [type!, text(name!), text(company!)]) ?? -1 - subject
      })
    return index => ({
      time: events.time[index]!,
      path: pathOf(events.path[index]!),
      subject: subjectOf(events.origins[events.origin[index]! * originFields]!),
    })
  }
}

/**
 * Events that a transaction has gathered for one site; `runs` by type may grow. Looked through only where they are asked for: most
 * transactions have no two ways in of one site.
 */
export class GatheredSightings {
  readonly #runs: readonly (readonly EventColumns[])[]
  readonly #subjectOf: (origin: number) => number
  readonly #events = new SightedEvents()
  /** Runs of each type that are among the events. */
  readonly #added = eventTypes.map(() => 0)

  constructor(runs: readonly (readonly EventColumns[])[], subjectOf: (origin: number) => number) {
    this.#runs = runs
    this.#subjectOf = subjectOf
  }

  all(): SightedEvents {
    this.#runs.forEach((runs, type) => {
      while (this.#added[type]! < runs.length) this.#add(runs[this.#added[type]!++]!)
    })
    return this.#events
  }

  #add(columns: EventColumns): void {
    const { sighting } = columns
    const holder = {
      setWays(index: number, ways: number): void {
        sighting[index] = sightingOf(fingerprintOf(sighting[index]!), ways)
      },
    }
    for (let index = 0; index < columns.count; index++) {
      if (sighting[index] === 0) continue
      this.#events.add(fingerprintOf(sighting[index]!), {
        time: columns.time[index]!,
        path: columns.path[index]!,
        subject: this.#subjectOf(columns.origin[index]!),
        ways: waysOf(sighting[index]!),
        holder,
        index,
      })
    }
  }
}

function keepWays(events: Iterable<SightedEvent>): void {
  const chunks = new Set<SightedChunk>()
  for (const { holder, index, ways } of events) {
    holder.setWays(index, ways)
    if (holder instanceof SightedChunk) chunks.add(holder)
  }
  for (const chunk of chunks) chunk.save()
}

/** Indexes of the events that have a client, in the order of time. */
function sighted(events: PackedEvents): number[] {
  const indexes: number[] = []
  for (let i = 0; i < events.count; i++) if (events.client[i] !== 0) indexes.push(i)
  return indexes.sort((a, b) => events.time[a]! - events.time[b]!)
}

function remembered(memory: Map<number, number>, key: number, find: () => number): number {
  let value = memory.get(key)
  if (value === undefined) {
    value = find()
    memory.set(key, value)
  }
  return value
}
