/** The events that lines of a log become when their visits count, with all that later explains or re-judges them. */
import { pagePath } from '../../detection/page-path.ts'
import { rememberRecent } from '../../detection/remember-recent.ts'
import type { NewEvent, Provenance, Source } from '../../domain/event.ts'
import type { EventSequence } from '../../storage/event-store.ts'
import { clientOf } from '../client-address.ts'
import { type CountedVerdict, provenanceOf, subjectOf } from '../visit-event.ts'
import type { LogLine } from './log-line.ts'

const rememberedPaths = 10_000
const rememberedClients = 10_000

/** What is kept of a request; texts of its own, which keep no more of the log in memory than they say. */
export interface GatheredVisit {
  readonly path: string
  readonly country: string
  /** Address of the client as clientOf gives it. */
  readonly client: string | null
  readonly createdAt: number
  readonly origin: Provenance
}

/** What the provenance of a request is made of. */
export interface Request {
  readonly userAgent: string
  readonly referrer: string
  readonly status: number | null
}

/** Gathers events. Few of the values of their columns are made for an event alone, so that garbage is collected seldom. */
export class EventGatherer {
  readonly #provenances: ProvenanceMemory
  readonly #ownPath = rememberRecent(ownText, rememberedPaths)
  readonly #clientOf = rememberRecent(ownClient, rememberedClients)
  readonly #gathered = new GatheredEvents()

  constructor(source: Source, catalogueVersion: string) {
    this.#provenances = new ProvenanceMemory(source, catalogueVersion)
  }

  get count(): number {
    return this.#gathered.length
  }

  /** The same object for equal ones, mostly. */
  originOf(request: Request, rule: string): Provenance {
    return this.#provenances.of(request, rule)
  }

  add(verdict: CountedVerdict, visit: GatheredVisit): void {
    this.#gathered.add(verdict, visit)
  }

  addLine(verdict: CountedVerdict, line: LogLine, country: string): void {
    const origin = this.originOf(line, verdict.rule)
    const path = this.#ownPath(pagePath(line.url))
    const client = this.#clientOf(line.address)
    this.add(verdict, { path, country, client, createdAt: line.timeMs, origin })
  }

  /**
   * Gives what was gathered since the last call; it lasts until the next event is added. `add` knows nothing of that: a way through it that
   * is first taken with the second batch would have all that adds compiled once more (row 9 of docs/performance.md).
   */
  take(): GatheredEvents {
    return this.#gathered.take()
  }
}

/**
 * Columns of events. Events become objects only when they are asked for: thousands of objects that wait for their batch would be moved to the
 * memory of long-lived ones, which is cleaned so seldom that an import of a long log would need 100 MiB more.
 */
export class GatheredEvents implements EventSequence {
  readonly #verdicts: CountedVerdict[]
  readonly #paths: string[]
  readonly #countries: string[]
  readonly #times: number[]
  readonly #origins: Provenance[]
  readonly #clients: (string | null)[]
  #length: number

  /** The same events as `other`, in the same memory. */
  constructor(other: GatheredEvents | null = null) {
    this.#verdicts = other === null ? [] : other.#verdicts
    this.#paths = other === null ? [] : other.#paths
    this.#countries = other === null ? [] : other.#countries
    this.#times = other === null ? [] : other.#times
    this.#origins = other === null ? [] : other.#origins
    this.#clients = other === null ? [] : other.#clients
    this.#length = other === null ? 0 : other.#length
  }

  get length(): number {
    return this.#length
  }

  add(verdict: CountedVerdict, visit: GatheredVisit): void {
    const at = this.#length++
    this.#verdicts[at] = verdict
    this.#paths[at] = visit.path
    this.#countries[at] = visit.country
    this.#times[at] = visit.createdAt
    this.#origins[at] = visit.origin
    this.#clients[at] = visit.client
  }

  /** Hands over the events, and keeps the memory for the next ones. */
  take(): GatheredEvents {
    const taken = new GatheredEvents(this)
    this.#length = 0
    return taken
  }

  at(index: number): NewEvent {
    const { type, name, company } = subjectOf(this.#verdicts[index]!)
    const client = this.#clients[index] ?? null
    return {
      type,
      name,
      company,
      path: this.#paths[index]!,
      country: this.#countries[index]!,
      createdAt: this.#times[index]!,
      value: null,
      provenance: this.#origins[index]!,
      ...(client !== null && { client }),
    }
  }

  toArray(): NewEvent[] {
    return Array.from({ length: this.length }, (_, index) => this.at(index))
  }
}

/** Lines of a log share few provenances, and the store recognises the same object cheaply. */
class ProvenanceMemory {
  readonly #source: Source
  readonly #catalogueVersion: string
  /** By user agent, rule, referrer and status: one look-up each costs less than one text of all four. */
  #known = new Map<string, Map<string, Map<string, Map<number | null, Provenance>>>>()
  #count = 0

  constructor(source: Source, catalogueVersion: string) {
    this.#source = source
    this.#catalogueVersion = catalogueVersion
  }

  of({ userAgent, referrer, status }: Request, rule: string): Provenance {
    return (
      this.#known.get(userAgent)?.get(rule)?.get(referrer)?.get(status) ??
      this.#remember(ownText(userAgent), rule, ownText(referrer), status)
    )
  }

  #remember(userAgent: string, rule: string, referrer: string, status: number | null): Provenance {
    const provenance = provenanceOf(
      { userAgent, referrer, status },
      { source: this.#source, rule, catalogueVersion: this.#catalogueVersion },
    )
    if (userAgent.length + referrer.length > longestRemembered) return provenance
    if (this.#count++ >= rememberedProvenances) {
      this.#known = new Map()
      this.#count = 0
    }
    const byReferrer = childOf(childOf(this.#known, userAgent), rule)
    childOf(byReferrer, referrer).set(status, provenance)
    return provenance
  }
}

const rememberedProvenances = 10_000
/** Characters of user agent and referrer; strangers must not fill the memory. */
const longestRemembered = 2000

function childOf<Key, ChildKey, Value>(
  parent: Map<Key, Map<ChildKey, Value>>,
  key: Key,
): Map<ChildKey, Value> {
  const child = parent.get(key) ?? new Map<ChildKey, Value>()
  parent.set(key, child)
  return child
}

/** Cut loose from the block of the log that it was read from, which it would keep in memory. */
const ownText = (text: string): string => Buffer.from(text).toString()

const ownClient = (address: string): string | null => {
  const client = clientOf(address)
  return client === null ? null : ownText(client)
}
