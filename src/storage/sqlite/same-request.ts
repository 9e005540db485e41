/**
 * Finds the stored event of a request that another source has already reported (docs/decisions/0004). Two reports by one source are always
 * two requests, so the count is the highest that any single source saw.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type Source, sameRequestMs, sources } from '../../domain/event.ts'
import type { PackedReader } from './event-fields.ts'
import { type FingerprintPair, neighbourFingerprint, noFingerprint, ownFingerprint } from './fingerprints.ts'
import type { Names } from './names.ts'

/** A request that a source has reported. */
export interface ReportedRequest {
  readonly at: number
  /** Null for a request of the current batch, which has no row yet. */
  readonly id: number | null
  /** Index in the current batch; -1 for a stored event. */
  readonly index: number
  readonly subject: string
  /** One bit for each source that reported it. */
  seenBy: number
}

/** Which events of a batch are new, and which stored events the batch reports again. */
export interface Matches {
  /** Indexes of the events that no source has reported before. */
  readonly fresh: readonly number[]
  /** The sources of each event of the batch, one bit each. There are several when the batch contains the request more than once. */
  readonly seenBy: readonly number[]
  /** Indexes of events that report a fresh event of the same batch again, by the index of the fresh one. */
  readonly repeats: ReadonlyMap<number, readonly number[]>
  /** By the id of the stored event. */
  readonly stored: ReadonlyMap<number, StoredMatch>
}

/** A stored event that the batch reports again. */
export interface StoredMatch {
  readonly at: number
  /** One bit for each source, including those of the batch. */
  seenBy: number
  /** Indexes of the events of the batch that report this event. */
  readonly reports: number[]
}

/** At most this many requests of one client and page are compared, the nearest first, so that a flood does not keep the writer busy. */
const looksMax = 1_000
/** The most stored events that are read for one window, so that a flood within seconds does not slow every batch. */
const windowRowsMax = 50_000
/** Events of a batch that are less than this apart share a window. */
const windowGapMs = 2 * sameRequestMs
const windowEventsMax = 2_000

export const bitOf = (source: number): number => 2 ** source
export const bitsOf = (reported: readonly Source[]): number =>
  reported.reduce((bits, source) => bits | bitOf(sources.indexOf(source)), 0)

/** In the order of `sources`. */
export const sourcesIn = (bits: number): Source[] => sources.filter((_, i) => (bits & bitOf(i)) !== 0)

const isOneBit = (bits: number): boolean => (bits & (bits - 1)) === 0

export class SameRequests {
  readonly #names: Names
  readonly #near: StatementSync

  constructor(database: DatabaseSync, names: Names) {
    this.#names = names
    this.#near = database.prepare(
      `SELECT at, id, subject, path, client, seen_by FROM event
       WHERE site = ? AND at BETWEEN ? AND ? AND client IS NOT NULL ORDER BY at, id LIMIT ${windowRowsMax}`,
    )
    this.#near.setReturnArrays(true)
  }

  /** `knownSources` has one bit for each source that has recorded for the site. Null when no event has a client, or only one source has reported. */
  match(site: number, events: PackedReader, knownSources: number): Matches | null {
    const order = sighted(events)
    if (order.length === 0 || isOneBit(knownSources | sourcesOf(events, order))) return null
    const fresh = new Set(Array.from({ length: events.count }, (_, i) => i))
    const seenBy = Array.from({ length: events.count }, (_, i) => {
      events.moveTo(i)
      return bitOf(events.number('source')!)
    })
    const repeats = new Map<number, number[]>()
    const stored = new Map<number, StoredMatch>()
    const ofBatch: { client: number; request: ReportedRequest }[] = []
    let window = new Window()
    for (const [place, index] of order.entries()) {
      events.moveTo(index)
      const at = events.number('at')!
      if (at > window.end) {
        const last = this.#lastOf(events, order, place)
        window = new Window(last)
        for (const { client, request } of ofBatch)
          if (request.at >= at - sameRequestMs) window.add(client, request)
        for (const { client, request } of this.#stored(
          site,
          at - sameRequestMs,
          last + sameRequestMs,
          stored,
        ))
          window.add(client, request)
      }
      events.moveTo(index)
      const request = this.#requestOf(site, events, index)
      const client = events.client
      const found = window.nearest(request, client)
      if (!found) {
        window.add(ownFingerprint(client), request)
        ofBatch.push({ client: ownFingerprint(client), request })
        continue
      }
      found.seenBy |= request.seenBy
      fresh.delete(index)
      if (found.id === null) {
        seenBy[found.index]! |= request.seenBy
        repeats.set(found.index, [...(repeats.get(found.index) ?? []), index])
      } else {
        const known = stored.get(found.id) ?? { at: found.at, seenBy: 0, reports: [] }
        known.seenBy = found.seenBy
        known.reports.push(index)
        stored.set(found.id, known)
      }
    }
    return { fresh: [...fresh], seenBy, repeats, stored }
  }

  /** The moment of the last event that shares a window with the event at `place`. */
  #lastOf(events: PackedReader, order: readonly number[], place: number): number {
    const timeAt = (at: number): number => {
      events.moveTo(order[at]!)
      return events.number('at')!
    }
    let last = timeAt(place)
    for (let at = place + 1; at < order.length && at < place + windowEventsMax; at++) {
      if (timeAt(at) > last + windowGapMs) break
      last = timeAt(at)
    }
    return last
  }

  /** Stored events in a time range. `changed` has those that this batch has already reported. */
  #stored(site: number, from: number, to: number, changed: ReadonlyMap<number, StoredMatch>) {
    const rows = this.#near.all(site, from, to) as unknown as number[][]
    return rows.map(([at, id, subject, path, client, seenBy]) => ({
      client: client!,
      request: {
        at: at!,
        id: id!,
        index: -1,
        subject: `${subject} ${path}`,
        seenBy: changed.get(id!)?.seenBy ?? seenBy!,
      },
    }))
  }

  #requestOf(site: number, events: PackedReader, index: number): ReportedRequest {
    const subject = this.#names.findSubject(
      site,
      events.number('type')!,
      events.text('name'),
      events.text('company'),
    )
    const path = this.#names.findPath(site, events.text('path'))
    // A name or page without a row is new, so it can only repeat within the batch. There, equal texts have equal indexes.
    const subjectKey =
      subject ?? `new ${events.number('type')} ${events.place('name')} ${events.place('company')}`
    const pathKey = path ?? `new ${events.place('path')}`
    return {
      at: events.number('at')!,
      id: null,
      index,
      subject: `${subjectKey} ${pathKey}`,
      seenBy: bitOf(events.number('source')!),
    }
  }
}

/** The requests around some events of a batch, by client, subject and page, in order of time. */
class Window {
  readonly end: number
  readonly #alike = new Map<string, ReportedRequest[]>()

  constructor(end = Number.NEGATIVE_INFINITY) {
    this.end = end
  }

  add(client: number, request: ReportedRequest): void {
    const key = `${client} ${request.subject}`
    const alike = this.#alike.get(key)
    if (!alike) this.#alike.set(key, [request])
    else alike.splice(firstFrom(alike, request.at + 1), 0, request)
  }

  /** The nearest equal request in time that this source has not reported yet. */
  nearest(request: ReportedRequest, clients: FingerprintPair): ReportedRequest | null {
    let nearest: ReportedRequest | null = null
    let leastMs = sameRequestMs
    let looksLeft = looksMax
    for (const client of [ownFingerprint(clients), neighbourFingerprint(clients)]) {
      if (client === noFingerprint) continue
      const alike = this.#alike.get(`${client} ${request.subject}`) ?? []
      const next = firstFrom(alike, request.at)
      for (const [from, step] of [
        [next - 1, -1],
        [next, 1],
      ] as const) {
        for (let i = from; i >= 0 && i < alike.length && looksLeft > 0; i += step) {
          const apartMs = Math.abs(alike[i]!.at - request.at)
          if (apartMs > leastMs || (apartMs === leastMs && nearest !== null)) break
          looksLeft--
          if ((alike[i]!.seenBy & request.seenBy) !== 0) continue
          nearest = alike[i]!
          leastMs = apartMs
          break
        }
      }
    }
    return nearest
  }
}

/** Index of the first request at that moment or later. */
function firstFrom(requests: readonly ReportedRequest[], at: number): number {
  let [from, to] = [0, requests.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (requests[middle]!.at < at) from = middle + 1
    else to = middle
  }
  return from
}

/** Indexes of the events that have a client, in order of time. */
function sighted(events: PackedReader): number[] {
  const found: { index: number; at: number }[] = []
  for (let index = 0; index < events.count; index++) {
    events.moveTo(index)
    if (events.client !== noFingerprint) found.push({ index, at: events.number('at')! })
  }
  return found.sort((a, b) => a.at - b.at).map(({ index }) => index)
}

function sourcesOf(events: PackedReader, indexes: readonly number[]): number {
  let bits = 0
  for (const index of indexes) {
    events.moveTo(index)
    bits |= bitOf(events.number('source')!)
  }
  return bits
}
