/** The port to the store of events: what every engine must do, in the words of the subject. tests/contract holds engines to it. */
import type { DateRange } from '../domain/date-range.ts'
import type { Arrival, EventPosition, EventType, NewEvent, StoredEvent } from '../domain/event.ts'
import type { DecimalSum } from '../domain/money.ts'
import type { Soon } from '../domain/soon.ts'
import type { Granularity, Series } from './series.ts'

/** Events in their order: an array, or what makes each when it is asked for. `append` asks before it returns, and never again. */
export interface EventSequence {
  readonly length: number
  at(index: number): NewEvent | undefined
}

/** Sites and accounts are named by their numbers here (Site.number, Account.number). */
export interface EventBatch {
  readonly site: number
  readonly account: number
  readonly events: EventSequence
  /** The moment of recording: decides the month that the quota counts it in. Milliseconds. */
  readonly now: number
  /** Most events the account may record in the UTC month of `now`; null is unlimited. */
  readonly monthlyLimit: number | null
  /** Makes a repeat within 24 h record nothing and answer as the first did. */
  readonly idempotency?: { readonly key: string; readonly bodyHash: string; readonly response: string }
  /** Names of the single requests behind the events: none of them is recorded twice within 24 h, in whatever batch it comes. */
  readonly onceKeys?: readonly string[]
  /** Where the import of a log stands once these events are stored; kept in the same transaction. */
  readonly importProgress?: ImportProgress
  /** What came in together with the events: counted in `health`. */
  readonly intake?: Intake
}

/** What one request or part of a log brought besides events. Every item received is an event, ignored, or a duplicate. */
export interface Intake {
  readonly arrival: Arrival
  /** Items that became no event, by reason. */
  readonly ignored: Readonly<Record<string, number>>
  /** Items that were dealt with before. */
  readonly duplicates: number
}

/** A request that was refused as a whole. */
export interface Rejection {
  readonly arrival: Arrival
  /** Code of the error that its sender was told. */
  readonly reason: string
  readonly now: number
}

/** What came in by one way in since the site exists. `received` is `recorded`, `merged`, `duplicates` and all of `ignored` together. */
export interface WayInHealth {
  readonly arrival: Arrival
  /** First and last time that something was taken; null when there were only rejections. */
  readonly firstSeen: number | null
  readonly lastSeen: number | null
  /** The longest time between two deliveries, of those that arrived in the calendar week of the last one and the week before. */
  readonly longestPauseMs: number
  readonly received: number
  readonly recorded: number
  /** Requests that another way in had reported before. */
  readonly merged: number
  /** Of `recorded` and `merged`: those that came more than 24 h after they happened. */
  readonly late: number
  readonly duplicates: number
  readonly ignored: Readonly<Record<string, number>>
  /** Requests, not items. */
  readonly rejected: number
  readonly lastRejection: { readonly at: number; readonly reason: string } | null
  /** The last seven UTC days that brought something, by the moment of arrival; oldest first. */
  readonly days: readonly WayInDay[]
}

export interface WayInDay {
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

export interface NameCount {
  readonly name: string
  /** Empty for referrals and conversions. */
  readonly company: string
  readonly count: number
  /** Exact decimal sum of the values; 0 where none is set. */
  readonly value: number
}

/** Counts by name; one entry a name. By count, descending, then by name in the order of code units. */
export type CountsByName = Readonly<Record<EventType, readonly NameCount[]>>

/**
 * Counts by name as columns, for what spells thousands of answers a second (row 2 of docs/performance.md): first the bots, then the
 * referrals, then the conversions, each in the order of CountsByName.
 */
export interface NameColumns {
  /** Where the rows of each type end, in the order of `eventTypes`. */
  readonly ends: readonly number[]
  /** Numbers, below 2^32, of what rows are about: within one store a number means the same for good. */
  readonly numbers: Uint32Array
  readonly counts: Float64Array
  /** As NameCount.value. */
  readonly values: Float64Array
  subjectAt(row: number): Subject
}

/** What a breakdown is over; every condition that is not null must hold. */
export interface FacetFilter {
  readonly names: readonly { readonly type: EventType; readonly name: string }[] | null
  readonly path: string | null
  readonly country: string | null
}

export interface FacetQuery {
  readonly range: DateRange
  readonly filter: FacetFilter
  /** Most pages in the answer; of more that are equal, those met first. 0 leaves pages out of it altogether. */
  readonly pagesMax: number
  /** The type by whose count pages are ordered; null is all types together. */
  readonly pageOrder: EventType | null
}

export interface FacetName {
  readonly type: EventType
  readonly name: string
  readonly company: string
}

/** Counts of one page or country. */
export interface FacetCount extends Readonly<Record<EventType, number>> {
  readonly name: string
  /** Exact sum of the values of its conversions. */
  readonly value: number
}

/** All counts of a filter by name, page, country and day; names and countries in no particular order. */
export interface FacetReport {
  /** `days`: a count a day of FacetReport.range; null where the answer would grow too long. */
  readonly names: readonly (FacetName & {
    readonly count: number
    readonly value: number
    readonly days: Float64Array | null
  })[]
  /** By count, descending. */
  readonly pages: readonly FacetCount[]
  /** How many pages there are besides "other". */
  readonly pageCount: number
  /** What engines that bound the pages of a day counted together; a country named `other` is the same for countries. */
  readonly otherPages: FacetCount
  readonly countries: readonly FacetCount[]
  /** The part of the range that has events of the site at all; null when there is none. */
  readonly range: DateRange | null
  /** Three counts a day of that part: bot, referral, conversion. */
  readonly days: Float64Array
}

/** Conversions of one name that one assistant brought, by one landing page. */
export interface AttributedCount {
  /** Null where no assistant is known to have brought the visitor. */
  readonly source: string | null
  /** Path; null where it is not known, and where `source` is null. */
  readonly landing: string | null
  readonly name: string
  readonly count: number
  /** Exact sum of the values. */
  readonly value: DecimalSum
}

export type ListedEvent = Omit<StoredEvent, 'provenance' | 'seenBy'>

/** Who or what an event is about. */
export type Subject = Pick<StoredEvent, 'type' | 'name' | 'company'>

/**
 * A page of the list as columns, for what spells thousands of pages a second and looks at none of their events as a whole
 * (row 4 of docs/performance.md). Of each column the first `count` places mean something.
 */
export interface EventPage {
  readonly count: number
  readonly ids: Float64Array
  /** Milliseconds since 1970 UTC. */
  readonly times: Float64Array
  /** Places in `eventTypes`. */
  readonly types: Uint8Array
  /** Numbers, below 2^32, of what texts stand for: within one store a number means the same for good. */
  readonly subjects: Uint32Array
  readonly paths: Uint32Array
  /** Code of the first letter times 256, and that of the second. */
  readonly countries: Uint16Array
  /** NaN where no value is set. */
  readonly values: Float64Array
  /**
   * What a number of `subjects` stands for, and what its neighbours stand for, of the same site, which are likely to be asked for next;
   * different numbers may stand for the same.
   */
  subjectsNear(number: number): ReadonlyMap<number, Subject>
  /** The path of a number of `paths`, and its neighbours, some of which may be other texts of the site. */
  pathsNear(number: number): ReadonlyMap<number, string>
}

export interface EventListQuery {
  readonly range: DateRange
  readonly type: EventType | null
  /** Only events that come after this position in the list; null starts at the newest. */
  readonly after: EventPosition | null
  readonly limit: number
}

/**
 * What every engine promises:
 * - an append is stored whole or not at all; when it has resolved, it is on disk and in every answer asked for afterwards,
 *   also of another process on the same data;
 * - ids are unique and below 2^53, without relying on being the only process;
 * - counts are exact, and equal the list of events to the unit;
 * - a request that several ways in report is one event (docs/decisions/0004);
 * - `revision` changes whenever any answer about the site but `health` and StoredEvent.seenBy may have changed, and never returns to an earlier value.
 */
export interface EventStore {
  /** Rejects with AppError OVERLOADED when more is waiting than the engine will hold, or when the disk is full. */
  append(batch: EventBatch): Promise<AppendOutcome>
  /** 0 for a site without events. */
  revision(site: number): Soon<number>
  countsByName(site: number, range: DateRange): Soon<CountsByName>
  /** The same counts, handed to a function that reads them at once and asks nothing else: they hold only until it returns. */
  withCounts<Result>(site: number, range: DateRange, read: (counts: NameColumns) => Result): Soon<Result>
  /** The caller keeps ranges to a size whose answer fits in memory (see reports/timeseries.ts). */
  series(site: number, range: DateRange, granularity: Granularity): Soon<Series>
  /** First and last day with events of the site; null when there are none. */
  extent(site: number): Promise<DateRange | null>
  /** From a roll-up: the cost does not grow with traffic. */
  facets(site: number, query: FacetQuery): Promise<FacetReport>
  /** One entry a source, landing page and name, in no particular order. The cost grows with the conversions of the range. */
  attribution(site: number, range: DateRange): Promise<AttributedCount[]>
  /** Newest first: createdAt descending, then id descending. */
  list(site: number, query: EventListQuery): Soon<ListedEvent[]>
  /** The same page, handed to a function that reads it at once and asks nothing else: it holds only until the function returns. */
  withPage<Result>(site: number, query: EventListQuery, read: (page: EventPage) => Result): Soon<Result>
  /** One event with all that explains it; null when there is none at that position. */
  find(site: number, position: EventPosition): Promise<StoredEvent | null>
  /** What the account recorded in a month (domain/date-range.ts monthOf), removed sites included. */
  usage(account: number, month: number): Promise<number>
  /** What was recorded for each of these sites in a month; sites without are left out. */
  usageOfSites(sites: readonly number[], month: number): Promise<ReadonlyMap<number, number>>
  /** Drops idempotency keys older than 24 h; to be called now and then by a server. */
  forgetOldRequests(now: number): Promise<void>
  imports(site: number): Promise<ImportProgress[]>
  /** Counts a refused request. It is stored within seconds, together with intakes that nothing was recorded of. */
  countRejected(site: number, rejection: Rejection): void
  /** One entry a way in by which anything has ever come. Counts of what other processes did not record may lag by seconds. */
  health(site: number): Promise<WayInHealth[]>
  /** Forgets everything about a site, for good. Safe to repeat; later appends to it answer `site-removed`. */
  removeSite(site: number): Promise<void>
}
