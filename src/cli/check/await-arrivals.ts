/** Waits until marked visits are in the store, no matter which source reports them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Site } from '../../domain/account.ts'
import { dayOf } from '../../domain/date-range.ts'
import type { EventPosition, StoredEvent } from '../../domain/event.ts'
import type { OpenedParts } from '../cli-context.ts'
import type { Visitor } from './visitor.ts'

export interface AwaitedVisit {
  readonly visitor: Visitor
  readonly sentAt: number
}

export interface ArrivedVisit {
  readonly event: StoredEvent
  /** Seconds from the request until the visit was found in the store. */
  readonly seconds: number
}

const pollMs = 200
/** The time of an event comes from the clock of the host that saw it. */
const clockSkewMs = 15 * 60_000
const pageLength = 1_000
/** Bounds the time of one query on a busy site. */
const eventsPerLookMax = 10_000

type Parts = Pick<OpenedParts, 'stores' | 'clock'>

/** Resolves with the visits that arrived, by mark: when all have, or after `timeoutMs`. Rejects when `signal` is aborted. */
export async function awaitArrivals(
  parts: Parts,
  site: Site,
  visits: readonly AwaitedVisit[],
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<Map<string, ArrivedVisit>> {
  const arrived = new Map<string, ArrivedVisit>()
  if (visits.length === 0) return arrived
  const since = Math.min(...visits.map(({ sentAt }) => sentAt)) - clockSkewMs
  const deadline = parts.clock() + timeoutMs
  const seen = new Set<number>()
  let revision: number | null = null
  for (;;) {
    const current = await parts.stores.events.revision(site.number)
    if (current !== revision) {
      revision = current
      for (const event of await newEvents(parts, site, since, seen)) {
        const visit = visits.find(({ visitor }) => event.provenance.userAgent?.endsWith(visitor.mark))
        if (visit) {
          arrived.set(visit.visitor.mark, { event, seconds: (parts.clock() - visit.sentAt) / 1_000 })
        }
      }
    }
    if (arrived.size === visits.length || parts.clock() >= deadline) return arrived
    await sleep(Math.max(1, Math.min(pollMs, deadline - parts.clock())), undefined, { signal })
  }
}

/** The visits since a moment that no earlier query has returned. Conversions are not visits. */
async function newEvents(
  { stores, clock }: Parts,
  site: Site,
  since: number,
  seen: Set<number>,
): Promise<StoredEvent[]> {
  // The clock of a host may be ahead, so its events may have tomorrow's date.
  const range = { start: dayOf(since), end: dayOf(clock()) + 1 }
  const found: StoredEvent[] = []
  let after: EventPosition | null = null
  for (let looked = 0; looked < eventsPerLookMax; looked += pageLength) {
    const page = await stores.events.list(site.number, { range, type: null, after, limit: pageLength })
    for (const { id, type, createdAt } of page) {
      if (createdAt < since) return found
      if (seen.has(id)) continue
      seen.add(id)
      const event = type === 'conversion' ? null : await stores.events.find(site.number, { id, createdAt })
      if (event) found.push(event)
    }
    const last = page.at(-1)
    if (page.length < pageLength || !last) return found
    after = { createdAt: last.createdAt, id: last.id }
  }
  return found
}
