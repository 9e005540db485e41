/** The interface that every store of events implements. The suite in tests/contract checks each engine against it. */
import type { DateRange } from '../domain/date-range.ts'
import type { EventPosition, EventType, Judgement, NewEvent, Source, StoredEvent } from '../domain/event.ts'
import type { DecimalSum } from '../domain/money.ts'

/** Events of one site that are recorded together or not at all. Sites and accounts are named by their numbers (Site.number, Account.number). */
export interface EventBatch {
  readonly site: number
  readonly account: number
  readonly events: readonly NewEvent[]
  /** The moment of recording in milliseconds. The events count toward the quota of its month. */
  readonly now: number
  /** The most events that the account may record in the UTC month of `now`; null is unlimited. */
  readonly monthlyLimit: number | null
  /** A repeat within 24 h records nothing and gets the stored response. */
  readonly idempotency?: { readonly key: string; readonly bodyHash: string; readonly response: string }
  /** One name for each request behind the events. No request is recorded twice within 24 h, even in different batches. */
  readonly onceKeys?: readonly string[]
  /** The position in the imported log after these events, stored in the same transaction. Its id also marks the events' import. */
  readonly importProgress?: ImportProgress
  /** Everything that arrived together with the events; counted in `health` and `load`. */
  readonly intake?: Intake
}

/** What one request or part of a log contained besides events. Every item is an event, ignored or a duplicate. */
export interface Intake {
  readonly source: Source
  /** Items that became no event, by reason. */
  readonly ignored: Readonly<Record<string, number>>
  /** Items that were already processed. */
  readonly duplicates: number
  /** Number of fields, over all items, that this version does not know. */
  readonly unknownFields?: number
  /** All requests that the site answered, by UTC day and kind, whether they are events or not. */
  readonly load?: readonly DailyLoad[]
}

/** What the requests of one kind cost a site on one day. */
export interface DailyLoad {
  readonly day: number
  readonly kind: LoadKind
  readonly requests: number
  /** 0 when the source does not report it. */
  readonly bytes: number
  /** 0 when the source does not report it. */
  readonly durationMs: number
}

/** Every kind of request that the load of a site is split into. */
export const loadKinds = [
  'ai-bot',
  'assistant-click',
  'asset',
  'redirect',
  'search-bot',
  'other-robot',
  'person',
  'other',
] as const
export type LoadKind = (typeof loadKinds)[number]

/** A request that was refused as a whole. */
export interface Rejection {
  readonly source: Source
  /** The error code of the response. */
  readonly reason: string
  readonly now: number
}

/** What one source has delivered since the site was added. `received` is the sum of `recorded`, `merged`, `duplicates` and `ignored`. */
export interface SourceHealth {
  readonly source: Source
  /** When the first and the last delivery were accepted; null when all were rejected. */
  readonly firstSeen: number | null
  readonly lastSeen: number | null
  /** The longest pause between two deliveries in the calendar week of the last one and the week before. */
  readonly longestPauseMs: number
  readonly received: number
  readonly recorded: number
  /** Requests that another source had reported before. */
  readonly merged: number
  /** How many of `recorded` and `merged` arrived more than 24 h after they happened. */
  readonly late: number
  readonly duplicates: number
  readonly ignored: Readonly<Record<string, number>>
  readonly unknownFields: number
  /** Counts whole requests, not their items. */
  readonly rejected: number
  readonly lastRejection: { readonly at: number; readonly reason: string } | null
  /** The last seven UTC days with deliveries, by the moment of arrival; oldest first. */
  readonly days: readonly SourceDay[]
}

export interface SourceDay {
  readonly day: number
  readonly received: number
  readonly recorded: number
  readonly merged: number
}

/** The expected outcomes of an append. Only `recorded` changes anything. */
export type AppendOutcome =
  | { readonly outcome: 'recorded' }
  | { readonly outcome: 'replayed'; readonly response: string }
  | { readonly outcome: 'idempotency-mismatch' }
  /** `keys` are those of `onceKeys` whose requests were recorded before. */
  | { readonly outcome: 'known-keys'; readonly keys: readonly string[] }
  | { readonly outcome: 'over-quota'; readonly used: number; readonly limit: number }
  | { readonly outcome: 'site-removed' }

/**
 * How far one log has been imported for a site. The same log is recognized by the hash of its beginning and the hash of the bytes
 * right before `offset`, so its name and compression do not matter.
 */
export interface ImportProgress {
  /** Random; each log of each site has its own. */
  readonly id: string
  /** Bytes of the uncompressed log that are processed. */
  readonly offset: number
  readonly headLength: number
  readonly headHash: string
  readonly windowLength: number
  readonly windowHash: string
  /** What the format needs to continue in the middle of the log, such as the last `#Fields` line; null for most formats. */
  readonly context: string | null
  /** Lines that are processed. */
  readonly lines: number
  readonly updatedAt: number
}

/** The bot, assistant or conversion of an event. */
export interface Subject {
  readonly type: EventType
  /** Bot, assistant, or name of the conversion. */
  readonly name: string
  /** Operator of the bot; empty for the other types. */
  readonly company: string
}

export interface NameCount extends Omit<Subject, 'type'> {
  readonly count: number
  /** Exact decimal sum of the values; 0 where none is set. */
  readonly value: number
}

/** One entry for each name. Sorted by count, descending, then by name in the order of code units. */
export type CountsByName = Readonly<Record<EventType, readonly NameCount[]>>

export type Granularity = 'day' | 'hour'

/** One count for each type. */
export type TypeCounts = Readonly<Record<EventType, number>>

/** Counts of one day or hour that has events. */
export interface SeriesPoint extends TypeCounts {
  /** Days or hours since 1970 UTC. */
  readonly bucket: number
}

/** Every condition that is not null must hold. */
export interface EventFilter {
  readonly names: readonly Pick<Subject, 'type' | 'name'>[] | null
  readonly path: string | null
  readonly country: string | null
}

export const unfiltered: EventFilter = { names: null, path: null, country: null }

/** What events are grouped by. */
export type Dimension = 'name' | 'page' | 'country' | 'day'

export interface BreakdownQuery {
  readonly range: DateRange
  readonly filter: EventFilter
  /** An empty list gives one row: the totals. */
  readonly dimensions: readonly Dimension[]
  /** The type whose counts sort the rows; null sorts by all types together. Rows where this count is 0 are left out. */
  readonly orderBy: EventType | null
  /** Most rows in the answer; null is all. */
  readonly limit: number | null
}

/** Counts of one group. Of `subject`, `page`, `country` and `day`, only the fields of the query's dimensions are set. */
export interface BreakdownRow extends TypeCounts {
  readonly subject?: Subject
  /** Path. */
  readonly page?: string
  readonly country?: string
  readonly day?: number
  /** Exact sum of the values of its conversions. */
  readonly value: number
}

export interface Breakdown {
  /** Sorted by count, descending. */
  readonly rows: readonly BreakdownRow[]
  /** The number of all rows, including those that `limit` leaves out. */
  readonly rowCount: number
}

/** Conversions of one name, from one assistant and one landing page. */
export interface AttributedCount {
  /** The assistant that sent the visitor; null when none is known. */
  readonly assistant: string | null
  /** Path; null when it is not known or `assistant` is null. */
  readonly landing: string | null
  readonly name: string
  readonly count: number
  /** Exact sum of the values. */
  readonly value: DecimalSum
}

/** An event as lists show it. */
export interface ListedEvent
  extends Subject,
    Pick<NewEvent, 'path' | 'country' | 'createdAt' | 'value' | 'status' | 'bytes' | 'durationMs'> {
  readonly id: number
}

export interface EventListQuery {
  readonly range: DateRange
  readonly type: EventType | null
  /** Only events after this position in the list; null starts with the newest. */
  readonly after: EventPosition | null
  readonly limit: number
}

/** A new judgement of one stored event. */
export interface Amendment {
  readonly position: EventPosition
  readonly judgement: Judgement
}

/** An event with everything that a copy in another store must keep. */
export interface ExportedEvent extends StoredEvent {
  /** The fingerprint of its client; null when the client is not known. */
  readonly fingerprint: number | null
}

/**
 * What every engine promises:
 * - An append is stored whole or not at all. Once it has resolved, it is on disk, and every later answer includes it, in all processes.
 * - Ids are unique and below 2^53, even when several processes record at once.
 * - Counts are exact: they always equal the number of listed events.
 * - A request that several sources report is one event (docs/decisions/0004). A later report fills in the fields that are still unknown.
 * - `revision` changes whenever an answer about the site may have changed, except `health` and StoredEvent.seenBy. It never returns to an
 *   earlier value.
 */
export interface EventStore {
  /**
   * Rejects with AppError OVERLOADED when too many events wait for the disk or when the disk is full. Rejects with INVALID_EVENT when the
   * batch has a new name but the site already has the most names allowed.
   */
  append(batch: EventBatch): Promise<AppendOutcome>
  /** 0 for a site without events. */
  revision(site: number): Promise<number>
  counts(site: number, range: DateRange): Promise<CountsByName>
  /** Buckets with events, in order of time. The answer must fit in memory, so callers split long ranges (see reports/timeseries.ts). */
  series(site: number, range: DateRange, granularity: Granularity): Promise<readonly SeriesPoint[]>
  /** First and last day with events of the site; null when there are none. */
  extent(site: number): Promise<DateRange | null>
  breakdown(site: number, query: BreakdownQuery): Promise<Breakdown>
  /** One entry for each assistant, landing page and name, unsorted. Reads every conversion of the range. */
  attribution(site: number, range: DateRange): Promise<AttributedCount[]>
  /** Newest first: createdAt descending, then id descending. */
  list(site: number, query: EventListQuery): Promise<ListedEvent[]>
  /** One event with everything that explains it; null when there is none at that position. */
  find(site: number, position: EventPosition): Promise<StoredEvent | null>
  /** The load of a site by day, kind and source, in order of days. It includes requests that are not events. */
  load(site: number, range: DateRange): Promise<(DailyLoad & { readonly source: Source })[]>
  /** Events that the account recorded in a month (see monthOf), including those of removed sites. */
  usage(account: number, month: number): Promise<number>
  /** Events recorded in a month, by site. Sites without events are left out. */
  usageOfSites(sites: readonly number[], month: number): Promise<ReadonlyMap<number, number>>
  /** Deletes idempotency keys older than 24 h. A server calls this every hour. */
  forgetOldRequests(now: number): Promise<void>
  imports(site: number): Promise<ImportProgress[]>
  /** Counts a refused request. The count reaches the disk within seconds, together with other intakes that recorded nothing. */
  countRejected(site: number, rejection: Rejection): void
  /** One entry for each source that ever delivered anything. Ignored and refused items of other processes may appear seconds later. */
  health(site: number): Promise<SourceHealth[]>
  /** Replaces the judgements of stored events and updates the counts. Skips events that do not exist. Resolves to the number changed. */
  amend(site: number, amendments: readonly Amendment[], now: number): Promise<number>
  /** One page of all events of a site, oldest first. `after` is the last position of the page before; null for the first page. */
  exportSite(site: number, after: EventPosition | null, limit: number): Promise<ExportedEvent[]>
  /** Stores exported events under their own ids and skips those that exist. Changes neither the quota nor data health. */
  importSite(site: number, events: readonly ExportedEvent[], now: number): Promise<void>
  /** Deletes everything about a site for good. Safe to repeat. Later appends to the site give `site-removed`. */
  removeSite(site: number): Promise<void>
}
