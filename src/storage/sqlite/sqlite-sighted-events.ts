/** Events that reports of the same request are looked for among: by the fingerprint of their client. */
import { sameRequestMs } from '../../domain/event.ts'
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

export class SightedEvents {
  readonly #byFingerprint = new Map<number, SightedEvent[]>()

  add(fingerprint: number, event: SightedEvent): void {
    const alike = this.#byFingerprint.get(fingerprint)
    if (alike) alike.push(event)
    else this.#byFingerprint.set(fingerprint, [event])
  }

  of(fingerprint: number): readonly SightedEvent[] {
    return this.#byFingerprint.get(fingerprint) ?? noEvents
  }
}

const noEvents: readonly SightedEvent[] = []

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
  const look = (event: SightedEvent): void => {
    const apartMs = Math.abs(event.time - request.time)
    if (apartMs > leastMs || (apartMs === leastMs && nearest !== null)) return
    if ((event.ways & way) !== 0 || event.path !== request.path || event.subject !== request.subject) return
    nearest = event
    leastMs = apartMs
  }
  for (const events of among) {
    events.of(own).forEach(look)
    if (neighbour !== 0) events.of(neighbour).forEach(look)
  }
  return nearest
}
