/** What Footfall records and reports: the three kinds of event, as schemas (the API's shape) and as records (what is stored). */
import Type, { type Static } from 'typebox'

export const eventTypes = ['bot', 'referral', 'conversion'] as const
export type EventType = (typeof eventTypes)[number]

/** How an event reached us; kept with each event. */
export const arrivals = ['events', 'hits', 'import'] as const
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
}

/** An event as the store gives it back. */
export interface StoredEvent extends NewEvent {
  /** Unique, below 2^53. */
  readonly id: number
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

const common = {
  id: Type.Integer({ description: 'Unique event identifier, below 2^53.' }),
  page_path: Type.String({ description: 'Page on which the event occurred, without query and fragment.' }),
  country: Type.String({ description: 'ISO 3166-1 country code; ZZ when unknown.' }),
  created_at: Type.String({ format: 'date-time', description: 'ISO 8601 in UTC, with milliseconds.' }),
}

export const BotEvent = Type.Object(
  {
    id: common.id,
    type: Type.Literal('bot'),
    bot_name: Type.String({ description: 'Name of the bot.' }),
    bot_company: Type.String({ description: 'Company operating the bot.' }),
    page_path: common.page_path,
    country: common.country,
    created_at: common.created_at,
  },
  { title: 'BotEvent' },
)

export const ReferralEvent = Type.Object(
  {
    id: common.id,
    type: Type.Literal('referral'),
    source: Type.String({ description: 'The assistant that sent the click.' }),
    page_path: common.page_path,
    country: common.country,
    created_at: common.created_at,
  },
  { title: 'ReferralEvent' },
)

export const ConversionEvent = Type.Object(
  {
    id: common.id,
    type: Type.Literal('conversion'),
    event_name: Type.String({ description: 'Name of the conversion event.' }),
    event_value: Type.Union([Type.Number(), Type.Null()], {
      description: 'Monetary value; null when not set.',
    }),
    page_path: common.page_path,
    country: common.country,
    created_at: common.created_at,
  },
  { title: 'ConversionEvent' },
)

export const ApiEvent = Type.Union([BotEvent, ReferralEvent, ConversionEvent], { title: 'Event' })
export type ApiEvent = Static<typeof ApiEvent>
