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
export const sources = ['events', 'hits', 'import', 'snippet', ...drainKinds] as const
export type Source = (typeof sources)[number]

/** How an event came and what decided that it is one; later explains it or judges it again. Null where the source does not tell. */
export interface Provenance {
  readonly source: Source
  readonly userAgent: string | null
  readonly referrerHost: string | null
  /** The rule of the catalogue that decided, such as `token:GPTBot`; null when the sender named the event himself. */
  readonly rule: string | null
  readonly catalogueVersion: string | null
  /** Of a conversion: the assistant that brought the visitor. */
  readonly assistant: string | null
  /** Of a conversion with an assistant: path of the page where that visit began. */
  readonly landing: string | null
}

/** Of an event that its sender named himself. */
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
 * What is known of a visit beyond its user agent: whether it is genuine, and whether it kept to robots.txt. Small integers whose
 * meaning detection/ defines; null where nothing was judged.
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
  /** HTTP status of the request; null when the source does not tell. */
  readonly status: number | null
  /** Bytes of the response body; null when the source does not tell. */
  readonly bytes: number | null
  /** Milliseconds that the site took to answer; null when the source does not tell. */
  readonly durationMs: number | null
  readonly provenance: Provenance
  /** Left out where nothing was judged. */
  readonly judgement?: Judgement
  /**
   * Address of the client whose request this is; left out where no request was seen, or no address. It is never stored: what is
   * kept of it are 16 bits by which the same request is known when another source reports it too.
   */
  readonly client?: string
}

/** Two sources report one request at moments that lie at most so far apart. */
export const sameRequestMs = 15_000

/** An event as the store gives it back. */
export interface StoredEvent extends Omit<NewEvent, 'client' | 'judgement'> {
  /** Unique, below 2^53. */
  readonly id: number
  readonly judgement: Judgement
  /** Every source that reported it, in the order of `sources`. */
  readonly seenBy: readonly Source[]
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
