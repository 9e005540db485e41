/** What Pugmark records: the three kinds of event, as records. */

export const eventTypes = ['bot', 'referral', 'conversion'] as const
export type EventType = (typeof eventTypes)[number]

/** The services that send their logs as they come, each to an address of its own. */
export const drainKinds = [
  'vercel',
  'cloudflare',
  'netlify',
  'cloudfront',
  'fastly',
  'vector',
  'fluentbit',
  'syslog',
] as const
export type DrainKind = (typeof drainKinds)[number]

/** How an event reached us; kept with each event by its place in this list, so only ever add to the end. */
export const arrivals = ['events', 'hits', 'import', 'snippet', ...drainKinds] as const
export type Arrival = (typeof arrivals)[number]

/** What later explains or re-judges an event. Null where the way in does not tell. */
export interface Provenance {
  readonly arrival: Arrival
  readonly userAgent: string | null
  readonly referrerHost: string | null
  /** HTTP status of the request. */
  readonly status: number | null
  /** The rule of the catalogue that decided, such as `token:GPTBot`; null when the sender named the event himself. */
  readonly rule: string | null
  readonly catalogueVersion: string | null
  /** Of a conversion: the assistant that brought the visitor. */
  readonly source: string | null
  /** Of a conversion with a source: path of the page where that visit began. */
  readonly landing: string | null
}

/** Of an event that its sender named himself. */
export const namedBySender: Provenance = {
  arrival: 'events',
  userAgent: null,
  referrerHost: null,
  status: null,
  rule: null,
  catalogueVersion: null,
  source: null,
  landing: null,
}

/** An event on its way into the store. */
export interface NewEvent {
  readonly type: EventType
  /** Bot name, assistant, or name of the conversion. */
  readonly name: string
  /** Operator of the bot; empty for the other types. */
  readonly company: string
  /** Path without query and fragment. */
  readonly path: string
  /** ISO 3166-1 alpha-2 in capitals, `ZZ` when unknown. */
  readonly country: string
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number
  /** Value of a conversion; null when not set and for the other types. */
  readonly value: number | null
  readonly provenance: Provenance
  /**
   * Address of the client whose request this is; left out where no request was seen, or no address. It is never stored: what is
   * kept of it are 16 bits by which the same request is known when another way in reports it too.
   */
  readonly client?: string
}

/** Two ways in report one request at moments that lie at most so far apart. */
export const sameRequestMs = 15_000

/** An event as the store gives it back. */
export interface StoredEvent extends Omit<NewEvent, 'client'> {
  /** Unique, below 2^53. */
  readonly id: number
  /** Every way in that reported it, in the order of `arrivals`. */
  readonly seenBy: readonly Arrival[]
}

/** Position of an event in a list that runs from newest to oldest: by time, then by id. */
export interface EventPosition {
  readonly createdAt: number
  readonly id: number
}

export const unknownCountry = 'ZZ'

export const nameLengthMax = 200
export const pathLengthMax = 2048
/** Beyond this a sum could no longer be exact. */
export const valueMax = 1e12
