/** Events that reports of the same request are looked for among: by the fingerprint of their client and the page, and by time. */
import { sameRequestMs } from '../../../domain/event.ts'
import { type FingerprintPair, neighbourFingerprint, ownFingerprint } from './sqlite-sighting.ts'

/** What two reports of one request have in common, but for the moment, which clocks and formats tell differently. */
export interface SeenRequest {
  readonly time: number
  readonly subject: number
  readonly path: number
}

export interface SightedEvent extends SeenRequest {
  /** Ways in that have reported it, as bits. */
  ways: number
  readonly holder: SightingHolder
  /** Its place in the holder. */
  readonly index: number
}

/** Where the sightings of events are kept. */
export interface SightingHolder {
  setWays(index: number, ways: number): void
}

/** Beyond so many reports that are nearer in time, none is looked at: who floods one page must not keep the writer busy. */
const looksMax = 1_000

export class SightedEvents {
  readonly #alike = new Map<number, AlikeEvents>()

  add(fingerprint: number, event: SightedEvent): void {
    const key = alikeKey(fingerprint, event.path)
    let alike = this.#alike.get(key)
    if (!alike) {
      alike = new AlikeEvents()
      this.#alike.set(key, alike)
    }
    alike.add(event)
  }

  /** Those of one client and page, in the order of time. */
  of(fingerprint: number, path: number): readonly SightedEvent[] {
    return this.#alike.get(alikeKey(fingerprint, path))?.inOrder() ?? noEvents
  }
}

const noEvents: readonly SightedEvent[] = []

/** Paths are numbers below 2^32, also negative ones. */
const alikeKey = (fingerprint: number, path: number): number => path * 2 ** 16 + fingerprint

class AlikeEvents {
  readonly #events: SightedEvent[] = []
  #isInOrder = true

  add(event: SightedEvent): void {
    const last = this.#events.at(-1)
    if (last && last.time > event.time) this.#isInOrder = false
    this.#events.push(event)
  }

  inOrder(): readonly SightedEvent[] {
    if (!this.#isInOrder) this.#events.sort((a, b) => a.time - b.time)
    this.#isInOrder = true
    return this.#events
  }
}

/** The event nearest in time that is this request and that `way` has not reported yet; null when there is none. */
export function nearestReport(
  among: Iterable<SightedEvents>,
  request: SeenRequest,
  clients: FingerprintPair,
  way: number,
): SightedEvent | null {
  const own = ownFingerprint(clients)
  const neighbour = neighbourFingerprint(clients)
  let nearest: SightedEvent | null = null
  let leastMs = sameRequestMs
  let looksLeft = looksMax
  /** From the moment of the request on in one direction. */
  const look = (events: readonly SightedEvent[], from: number, step: 1 | -1): void => {
    for (let at = from; at >= 0 && at < events.length && looksLeft > 0; at += step) {
      const event = events[at]!
      const apartMs = Math.abs(event.time - request.time)
      if (apartMs > leastMs || (apartMs === leastMs && nearest !== null)) return
      looksLeft--
      if ((event.ways & way) !== 0 || event.subject !== request.subject) continue
      nearest = event
      leastMs = apartMs
      return
    }
  }
  for (const events of among) {
    for (const fingerprint of neighbour === 0 ? [own] : [own, neighbour]) {
      const alike = events.of(fingerprint, request.path)
      if (alike.length === 0) continue
      const next = firstFrom(alike, request.time)
      look(alike, next - 1, -1)
      look(alike, next, 1)
    }
  }
  return nearest
}

/** Index of the first event at that moment or later. */
function firstFrom(events: readonly SightedEvent[], time: number): number {
  let [from, to] = [0, events.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (events[middle]!.time < time) from = middle + 1
    else to = middle
  }
  return from
}
