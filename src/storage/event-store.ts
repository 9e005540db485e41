/** The port to the store of events: what every engine must do, in rows and promises. tests/contract holds engines to it. */
import type { DateRange } from '../domain/date-range.ts'
import type { EventPosition, EventType, Judgement, NewEvent, Source, StoredEvent } from '../domain/event.ts'
import type { DecimalSum } from '../domain/money.ts'

/** Events of one site that are recorded together or not at all. Sites and accounts are named by their numbers (Site.number, Account.number). */
export interface EventBatch {
  readonly site: number
  readonly account: number
  readonly events: readonly NewEvent[]
  /** The moment of recording: decides the month that the quota counts it in. Milliseconds. */
  readonly now: number
  /** Most events the account may record in the UTC month of `now`; null is unlimited. */
  readonly monthlyLimit: number | null
  /** Makes a repeat within 24 h record nothing and answer as the first did. */
  readonly idempotency?: { readonly key: string; readonly bodyHash: string; readonly response: string }
  /** Names of the single requests behind the events: none of them is recorded twice within 24 h, in whatever batch it comes. */
  readonly onceKeys?: readonly string[]
  /** Where the import of a log stands once these events are stored; kept in the same transaction. Its id names the import of the events. */
  readonly importProgress?: ImportProgress
  /** What came in together with the events: counted in `health` and `load`. */
  readonly intake?: Intake
}

/** What one request or part of a log brought besides events. Every item received is an event, ignored, or a duplicate. */
export interface Intake {
  readonly source: Source
  /** Items that became no event, by reason. */
  readonly ignored: Readonly<Record<string, number>>
  /** Items that were dealt with before. */
  readonly duplicates: number
  /** Fields of items that this version does not know, all together. */
  readonly unknownFields?: number
  /** Requests that the site answered, counted or not, by UTC day and kind. */
  readonly load?: readonly DailyLoad[]
}

/** What the requests of one kind cost a site on one day. */
export interface DailyLoad {
  readonly day: number
  readonly kind: LoadKind
  readonly requests: number
  /** 0 where the source does not tell. */
  readonly bytes: number
  /** 0 where the source does not tell. */
  readonly durationMs: number
}

/** Kept in this order with each row, so only ever add to the end. */
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
  /** Code of the error that its sender was told. */
  readonly reason: string
  readonly now: number
}

/** What one source has delivered since the site exists. `received` is `recorded`, `merged`, `duplicates` and all of `ignored` together. */
export interface SourceHealth {
  readonly source: Source
  /** First and last time that something was taken; null when there were only rejections. */
  readonly firstSeen: number | null
  readonly lastSeen: number | null
  /** The longest time between two deliveries, of those that arrived in the calendar week of the last one and the week before. */
  readonly longestPauseMs: number
  readonly received: number
  readonly recorded: number
  /** Requests that another source had reported before. */
  readonly merged: number
  /** Of `recorded` and `merged`: those that came more than 24 h after they happened. */
  readonly late: number
  readonly duplicates: number
  readonly ignored: Readonly<Record<string, number>>
  readonly unknownFields: number
  /** Requests, not items. */
  readonly rejected: number
  readonly lastRejection: { readonly at: number; readonly reason: string } | null
  /** The last seven UTC days that brought something, by the moment of arrival; oldest first. */
  readonly days: readonly SourceDay[]
}

export interface SourceDay {
  readonly day: number
  readonly received: number
  readonly recorded: number
  readonly merged: number
}

/** Expected ends of an append. Only `recorded` has changed anything. */
export type AppendOutcome =
  | { readonly outcome: 'recorded' }
  | { readonly outcome: 'replayed'; readonly response: string }
  | { readonly outcome: 'idempotency-mismatch' }
  /** Some of onceKeys are of requests that were recorded before: which ones. */
  | { readonly outcome: 'known-keys'; readonly keys: readonly string[] }
  | { readonly outcome: 'over-quota'; readonly used: number; readonly limit: number }
  | { readonly outcome: 'site-removed' }

/**
 * How far one log has been imported for a site, and how the same log is known again: by the hash of its beginning
 * and the hash of the bytes right before `offset`, so that name and compression do not matter.
 */
export interface ImportProgress {
  /** Random; one a log and site. */
  readonly id: string
  /** Bytes of the uncompressed log that are dealt with. */
  readonly offset: number
  readonly headLength: number
  readonly headHash: string
  readonly windowLength: number
  readonly windowHash: string
  /** What the format must know to go on in the middle, such as the last `#Fields` line; null for most formats. */
  readonly context: string | null
  /** Lines dealt with. */
  readonly lines: number
  readonly updatedAt: number
}

/** Who or what an event is about. */
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

/** Counts by name; one entry a name. By count, descending, then by name in the order of code units. */
export type CountsByName = Readonly<Record<EventType, readonly NameCount[]>>

export type Granularity = 'day' | 'hour'

/** One count a type. */
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
  /** None gives one row: the totals. */
  readonly dimensions: readonly Dimension[]
  /** The type whose counts put rows in order; null is all types together. Rows without such a count stay out. */
  readonly orderBy: EventType | null
  /** Most rows in the answer; null is all. */
  readonly limit: number | null
}

/** Counts of one group: of the fields `subject`, `page`, `country` and `day`, those of its dimensions are there. */
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
  /** By count, descending. */
  readonly rows: readonly BreakdownRow[]
  /** How many rows there are, listed or not. */
  readonly rowCount: number
}

/** Conversions of one name that one assistant brought, by one landing page. */
export interface AttributedCount {
  /** Null where no assistant is known to have brought the visitor. */
  readonly assistant: string | null
  /** Path; null where it is not known, and where `assistant` is null. */
  readonly landing: string | null
  readonly name: string
  readonly count: number
  /** Exact sum of the values. */
  readonly value: DecimalSum
}

/** An event as lists show it. */
export interface ListedEvent extends Subject {
  readonly id: number
  readonly path: string
  readonly country: string
  readonly createdAt: number
  readonly value: number | null
  readonly status: number | null
  readonly bytes: number | null
  readonly durationMs: number | null
}

export interface EventListQuery {
  readonly range: DateRange
  readonly type: EventType | null
  /** Only events that come after this position in the list; null starts at the newest. */
  readonly after: EventPosition | null
  readonly limit: number
}

/** A new judgement of one stored event. */
export interface Amendment {
  readonly position: EventPosition
  readonly judgement: Judgement
}

/** An event with all that a copy in another store must keep. */
export interface ExportedEvent extends StoredEvent {
  /** 16 bits that stand for its client; null where none was seen. */
  readonly fingerprint: number | null
}

/**
 * What every engine promises:
 * - an append is stored whole or not at all; when it has resolved, it is on disk and in every answer asked for afterwards,
 *   also of another process on the same data;
 * - ids are unique and below 2^53, without relying on being the only process;
 * - counts are exact, and equal the list of events to the unit;
 * - a request that several sources report is one event (docs/decisions/0004): a later report fills in what the first did not tell;
 * - `revision` changes whenever any answer about the site but `health` and StoredEvent.seenBy may have changed, and never returns to an earlier value.
 */
export interface EventStore {
  /** Rejects with AppError OVERLOADED when more is waiting than the engine will hold, or when the disk is full. */
  append(batch: EventBatch): Promise<AppendOutcome>
  /** 0 for a site without events. */
  revision(site: number): Promise<number>
  counts(site: number, range: DateRange): Promise<CountsByName>
  /** Buckets with events, in the order of time. The caller keeps ranges to a size whose answer fits in memory (see reports/timeseries.ts). */
  series(site: number, range: DateRange, granularity: Granularity): Promise<readonly SeriesPoint[]>
  /** First and last day with events of the site; null when there are none. */
  extent(site: number): Promise<DateRange | null>
  breakdown(site: number, query: BreakdownQuery): Promise<Breakdown>
  /** One entry an assistant, landing page and name, in no particular order. The cost grows with the conversions of the range. */
  attribution(site: number, range: DateRange): Promise<AttributedCount[]>
  /** Newest first: createdAt descending, then id descending. */
  list(site: number, query: EventListQuery): Promise<ListedEvent[]>
  /** One event with all that explains it; null when there is none at that position. */
  find(site: number, position: EventPosition): Promise<StoredEvent | null>
  /** What the requests of a site cost, by day, kind and source, counted or not; in the order of days. */
  load(site: number, range: DateRange): Promise<(DailyLoad & { readonly source: Source })[]>
  /** What the account recorded in a month (domain/date-range.ts monthOf), removed sites included. */
  usage(account: number, month: number): Promise<number>
  /** What was recorded for each of these sites in a month; sites without are left out. */
  usageOfSites(sites: readonly number[], month: number): Promise<ReadonlyMap<number, number>>
  /** Drops idempotency keys older than 24 h; to be called now and then by a server. */
  forgetOldRequests(now: number): Promise<void>
  imports(site: number): Promise<ImportProgress[]>
  /** Counts a refused request. It is stored within seconds, together with intakes that nothing was recorded of. */
  countRejected(site: number, rejection: Rejection): void
  /** One entry a source by which anything has ever come. Counts of what other processes did not record may lag by seconds. */
  health(site: number): Promise<SourceHealth[]>
  /** Gives stored events new judgements, with all counts by verdict; events that are not there are passed over. Resolves to how many changed. */
  amend(site: number, amendments: readonly Amendment[], now: number): Promise<number>
  /** All events of a site, oldest first, a page at a time; `after` is the last position seen, null at the beginning. */
  exportSite(site: number, after: EventPosition | null, limit: number): Promise<ExportedEvent[]>
  /** Stores exported events under their own ids; those that are there already are passed over. Counts no quota and no health. */
  importSite(site: number, events: readonly ExportedEvent[], now: number): Promise<void>
  /** Forgets everything about a site, for good. Safe to repeat; later appends to it answer `site-removed`. */
  removeSite(site: number): Promise<void>
}
