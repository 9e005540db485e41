/** The events that Pugmark records, and the sources that they come from. */

export const eventTypes = ['bot', 'referral', 'conversion'] as const
export type EventType = (typeof eventTypes)[number]

/** The kinds of log drain. Each has its own address. */
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

/** All sources. The bits of `seen_by` in the database follow this order, so only ever add to the end. */
export const sources = ['events', 'hits', 'import', 'snippet', ...drainKinds] as const
export type Source = (typeof sources)[number]

/** Where an event came from and which rule classified it. Null where the source does not report a value. */
export interface Provenance {
  readonly source: Source
  readonly userAgent: string | null
  readonly referrerHost: string | null
  /** The rule of the catalogue that decided, such as `token:GPTBot`; null when the sender named the event. */
  readonly rule: string | null
  readonly catalogueVersion: string | null
  /** For a conversion: the assistant that sent the visitor. */
  readonly assistant: string | null
  /** For a conversion with an assistant: path of the page where that visit began. */
  readonly landing: string | null
}

/** The provenance of an event that its sender named. */
export const namedBySender: Provenance = {
  source: 'events',
  userAgent: null,
  referrerHost: null,
  rule: null,
  catalogueVersion: null,
  assistant: null,
  landing: null,
}

/**
 * What is known about a visit beyond its user agent: whether it is genuine, and whether it obeyed robots.txt. The values are small
 * integers; null means that nothing was judged.
 */
export interface Judgement {
  readonly verdict: number | null
  readonly reason: number | null
  readonly evidence: number | null
  readonly robots: number | null
}

export const notJudged: Judgement = { verdict: null, reason: null, evidence: null, robots: null }

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
  /** HTTP status of the response; null when the source does not report it. */
  readonly status: number | null
  /** Bytes of the response body; null when the source does not report them. */
  readonly bytes: number | null
  /** Milliseconds that the site took to answer; null when the source does not report them. */
  readonly durationMs: number | null
  readonly provenance: Provenance
  /** Left out when nothing was judged. */
  readonly judgement?: Judgement
  /**
   * Address of the client; left out when it is not known. It is never stored. Only a fingerprint is kept, so that the same request is
   * recognized when another source reports it.
   */
  readonly client?: string
}

/** Reports of two sources can be of one request only when they are at most this far apart. */
export const sameRequestMs = 15_000

/** An event as the store returns it. */
export interface StoredEvent extends Omit<NewEvent, 'client' | 'judgement'> {
  /** Unique, below 2^53. */
  readonly id: number
  readonly judgement: Judgement
  /** Every source that reported it, in the order of `sources`. */
  readonly seenBy: readonly Source[]
}

/** Position of an event in a list, which is sorted by time and then by id. */
export interface EventPosition {
  readonly createdAt: number
  readonly id: number
}

export const unknownCountry = 'ZZ'

export const nameLengthMax = 200
export const pathLengthMax = 2048
/** Larger values could make sums inexact. */
export const valueMax = 1e12
