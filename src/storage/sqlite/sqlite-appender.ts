/**
 * The write side of events, inside a transaction that someone else begins and commits: decides whether a batch is taken, and puts its
 * events into the inbox, or files them at once where that is cheaper or other ways in have to be matched.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { dayMs, monthOf } from '../../domain/date-range.ts'
import { arrivals } from '../../domain/event.ts'
import type { AppendOutcome, ImportProgress } from '../event-store.ts'
import { allocateColumns, type EventColumns } from './chunks/sqlite-event-columns.ts'
import type { IntakeNote } from './health/sqlite-health.ts'
import { HealthWriter } from './health/sqlite-health-writer.ts'
import type { SiteNote } from './health/sqlite-intake-notes.ts'
import { Inbox, inboxBatchMax } from './inbox/sqlite-inbox.ts'
import type { InboxRow } from './inbox/sqlite-inbox-rows.ts'
import { SiteFiler } from './inbox/sqlite-site-filer.ts'
import { type Matches, RequestMatcher } from './sightings/sqlite-request-matcher.ts'
import { isOneWay, ownFingerprint, sightingOf } from './sightings/sqlite-sighting.ts'
import { SqliteDictionary, subjectsPerSiteMax, TooManyNames } from './sqlite-dictionary.ts'
import { EventIds } from './sqlite-event-ids.ts'
import { KnownRequests } from './sqlite-known-requests.ts'
import { MonthUsage } from './sqlite-month-usage.ts'
import {
  leavesTrace,
  originFields,
  type PackedBatch,
  type PackedEvents,
  selectEvents,
  subjectFields,
} from './sqlite-packed-events.ts'
import { packSingleEvent, type SingleEvent } from './sqlite-single-event.ts'

/** `too-many-names` becomes an error for the caller on the other side of the thread. */
export type PackedOutcome = AppendOutcome | { readonly outcome: 'too-many-names'; readonly limit: number }

/** How nearly all appends end. */
export const recorded: AppendOutcome = { outcome: 'recorded' }

/** Events that came in later than this after they happened are told as late. */
const lateMs = dayMs

/** Of what waits, so many sites or events are filed in one transaction, so that nobody else waits long for it. */
const sliceSitesMax = 20
const sliceEventsMax = 1_000

/** Beyond so many sites the memory of them starts again empty. */
const rememberedMax = 100_000

interface SiteState {
  readonly isRemoved: boolean
  /** Ways in that have filed events with a sighting, as bits. */
  readonly ways: number
}

export class SqliteAppender {
  readonly #dictionary: SqliteDictionary
  readonly #inbox: Inbox
  readonly #filer: SiteFiler
  readonly #matcher: RequestMatcher
  readonly #health: HealthWriter
  readonly #requests: KnownRequests
  readonly #usage: MonthUsage
  readonly #statements: ReturnType<typeof prepareStatements>
  readonly #ids: EventIds
  /** As long as no other process writes. */
  readonly #states = new Map<number, SiteState>()
  /** Sites of which more waits in the inbox than should. */
  readonly #full = new Set<number>()

  constructor(database: DatabaseSync) {
    this.#dictionary = new SqliteDictionary(database)
    this.#inbox = new Inbox(database)
    this.#health = new HealthWriter(database, this.#dictionary)
    this.#filer = new SiteFiler(database, this.#inbox, this.#dictionary, this.#health)
    this.#matcher = new RequestMatcher(database, this.#dictionary)
    this.#requests = new KnownRequests(database)
    this.#usage = new MonthUsage(database)
    this.#ids = new EventIds(database)
    this.#statements = prepareStatements(database)
  }

  /** To be called when a transaction has begun: true when other processes have written since the last. */
  begin(): boolean {
    const othersWrote = this.#inbox.begin()
    if (othersWrote) {
      this.#ids.forget()
      this.#usage.forget()
      this.#states.clear()
    }
    return othersWrote
  }

  append(batch: PackedBatch): PackedOutcome {
    const { site, now } = batch
    const state = this.#stateOf(site)
    if (state.isRemoved) return { outcome: 'site-removed' }
    const known = this.#requests.outcomeOf(batch)
    if (known) return known
    const matches = this.#match(batch, state.ways)
    const events = matches ? selectEvents(batch.events, matches) : batch.events
    const usage = this.#usage.of(batch.account, monthOf(now))
    if (batch.monthlyLimit !== null && events.count > 0 && usage.used + events.count > batch.monthlyLimit) {
      matches?.forget()
      return { outcome: 'over-quota', used: usage.used, limit: batch.monthlyLimit }
    }
    try {
      this.#put(batch, events, matches !== null)
    } catch (error) {
      matches?.forget()
      if (error instanceof TooManyNames) return { outcome: 'too-many-names', limit: subjectsPerSiteMax }
      throw error
    }
    matches?.keep()
    if (events.count > 0) this.#usage.add(usage, events.count)
    this.#requests.add(batch)
    if (batch.importProgress) this.#keepProgress(site, batch.importProgress)
    return recorded
  }

  /** The same for a batch of one event, by a shorter way where nothing has to be looked up (row 7 of docs/performance.md). */
  appendOne(single: SingleEvent): PackedOutcome {
    const [site, account, now, monthlyLimit, arrival, type, text, path, country, time, value, client, way] =
      single
    const state = this.#stateOf(site)
    const origin = this.#dictionary.originUnder(site, text)
    const ways = state.ways | this.#inbox.waysOf(site) | way
    const isPlain =
      origin !== undefined &&
      !state.isRemoved &&
      !this.#filer.isFiling(site) &&
      (way === 0 || isOneWay(ways)) &&
      time >= now - lateMs
    const usage = this.#usage.of(account, monthOf(now))
    if (!isPlain || (monthlyLimit !== null && usage.used >= monthlyLimit)) {
      return this.append(packSingleEvent(single))
    }
    this.#inbox.putOne(
      site,
      { type, ways: way, recordedAt: now, arrival },
      {
        ...{ time, id: this.#ids.take(1), origin, path: this.#dictionary.textId(site, path), country, value },
        sighting: client === 0 ? 0 : sightingOf(ownFingerprint(client), way),
      },
    )
    this.#keepBounds(site)
    this.#usage.add(usage, 1)
    return recorded
  }

  /** To be called when something else has changed the state of a site. */
  forgetState(site: number): void {
    this.#states.delete(site)
  }

  /** Counts what was taken without recording anything, and what was refused. */
  addNotes(notes: readonly SiteNote[]): void {
    for (const note of notes) {
      // What came before it is counted before it, since the pauses between deliveries are.
      if (note.rejected === 0) this.file(note.site)
      this.#health.add(note.site, note)
    }
  }

  /** Files what lies in the inbox of a site. */
  file(site: number): void {
    this.#full.delete(site)
    if (this.#inbox.isWaiting(site)) this.#filer.file(site)
  }

  get hasUnfiled(): boolean {
    return !this.#inbox.isEmpty
  }

  get hasFull(): boolean {
    return this.#full.size > 0
  }

  /** Files a site of which too much waits, in a transaction of its own, so that those who record for others do not wait for it. */
  fileFull(): void {
    const [site] = this.#full
    if (site !== undefined) this.file(site)
  }

  /** Files a slice of what waits in the inbox, the oldest first. */
  fileSome(): void {
    const stopAt = Math.max(this.#inbox.events - sliceEventsMax, 0)
    for (let i = 0; i < sliceSitesMax && this.#inbox.events > stopAt; i++) this.#fileLongestWaiting()
  }

  /** Writes what was gathered; to be called right before the commit, and before something else changes the state of a site. */
  flush(): void {
    for (const site of this.#filer.flush()) this.#states.delete(site)
    this.#ids.flush()
    this.#health.flush()
    this.#usage.flush()
  }

  /** To be called after a rollback. */
  discard(): void {
    this.#ids.forget()
    this.#filer.discard()
    this.#inbox.discard()
    this.#usage.forget()
    this.#states.clear()
    this.#dictionary.forget()
    this.#health.discard()
  }

  /** Drops requests remembered for longer than 24 h. */
  forgetOldRequests(now: number): void {
    this.#requests.forgetOld(now)
  }

  #stateOf(site: number): SiteState {
    let state = this.#states.get(site)
    if (!state) {
      const row = this.#statements.state.get(site)
      state = { isRemoved: row?.removed === 1, ways: Number(row?.ways ?? 0) }
      if (this.#states.size >= rememberedMax) this.#states.clear()
      this.#states.set(site, state)
    }
    return state
  }

  /** Null where no other way in can have reported the same: most sites have one. */
  #match({ site, events }: PackedBatch, filedWays: number): Matches | null {
    if (events.allWays === 0) return null
    const ways = filedWays | this.#inbox.waysOf(site) | this.#filer.waysOf(site)
    if (isOneWay(ways | events.allWays)) return null
    return this.#matcher.match(site, events, this.#filer.sightingsOf(site))
  }

  /** Stores the events of a batch that are to be recorded, and counts what came in with them. Throws TooManyNames. */
  #put(batch: PackedBatch, events: PackedEvents, isMatched: boolean): void {
    const { site, now } = batch
    const note = noteOf(batch, events.count)
    if (events.count === 0) {
      if (note) this.addNotes([{ ...note, site }])
      return
    }
    const ids = this.#dictionary.resolve(site, events)
    if (batch.originText !== undefined)
      this.#dictionary.rememberOrigin(site, batch.originText, ids.origins[0]!)
    const rows: InboxRow[] = []
    splitByType(events, ids, this.#ids.take(events.count)).forEach((columns, type) => {
      if (!columns) return
      const isFirst = rows.length === 0
      rows.push({
        type,
        columns,
        ways: events.allWays,
        recordedAt: now,
        notes: isFirst && note ? [note] : [],
      })
    })
    const isFiledAtOnce =
      isMatched ||
      batch.importProgress !== undefined ||
      events.count > inboxBatchMax ||
      this.#filer.isFiling(site)
    if (isFiledAtOnce) {
      this.#filer.add(site, rows)
      return
    }
    this.#inbox.put(site, rows)
    this.#keepBounds(site)
  }

  #keepProgress(site: number, progress: ImportProgress): void {
    const { id, offset, headLength, headHash, windowLength, windowHash, context, lines, updatedAt } = progress
    this.#statements.importProgress.run(
      ...[site, id, offset, headLength, headHash, windowLength, windowHash, context, lines, updatedAt],
    )
  }

  /** Of the inbox, to which rows of the site were added. */
  #keepBounds(site: number): void {
    if (this.#inbox.isFull(site)) this.#full.add(site)
    for (let i = 0; i < sliceSitesMax; i++) {
      const overdue = this.#inbox.takeOverdue()
      if (overdue === undefined) break
      this.#filer.file(overdue)
    }
  }

  #fileLongestWaiting(): void {
    const site = this.#inbox.longestWaiting()
    if (site !== undefined) this.#filer.file(site)
  }
}

/** What is to be counted in the health of the site; null where nothing is. */
function noteOf({ now, events, intake, ...batch }: PackedBatch, recorded: number): IntakeNote | null {
  if (!intake || !leavesTrace(batch, events)) return null
  return {
    arrival: arrivals.indexOf(intake.arrival),
    now,
    recorded,
    merged: events.count - recorded,
    late: countLate(events, now),
    duplicates: intake.duplicates,
    ignored: intake.ignored,
    rejected: 0,
    reason: '',
  }
}

function countLate({ time, count }: PackedEvents, now: number): number {
  let late = 0
  for (let i = 0; i < count; i++) if (time[i]! < now - lateMs) late++
  return late
}

const typeOf = ({ subjects, origins, origin }: PackedEvents, i: number): number =>
  subjects[origins[origin[i]! * originFields]! * subjectFields]!

function splitByType(
  events: PackedEvents,
  ids: { texts: Float64Array; origins: Float64Array },
  firstId: number,
): (EventColumns | null)[] {
  const counts = [0, 0, 0]
  for (let i = 0; i < events.count; i++) counts[typeOf(events, i)]!++
  const columns = counts.map((count, type) => (count > 0 ? allocateColumns(count, type === 2) : null))
  const next = [0, 0, 0]
  for (let i = 0; i < events.count; i++) {
    const type = typeOf(events, i)
    const target = columns[type]!
    const at = next[type]!++
    target.time[at] = events.time[i]!
    target.id[at] = firstId + i
    target.origin[at] = ids.origins[events.origin[i]!]!
    target.path[at] = ids.texts[events.path[i]!]!
    target.country[at] = events.country[i]!
    const client = events.client[i]!
    if (client !== 0) target.sighting[at] = sightingOf(ownFingerprint(client), events.ways[i]!)
    if (target.value) target.value[at] = events.value[i]!
  }
  return columns
}

function prepareStatements(database: DatabaseSync) {
  const prepare = (sql: string): StatementSync => database.prepare(sql)
  return {
    state: prepare('SELECT removed, ways FROM site_state WHERE site = ?'),
    importProgress: prepare(
      `INSERT OR REPLACE INTO import_progress
       (site, id, "offset", head_length, head_hash, window_length, window_hash, context, lines, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
  }
}
