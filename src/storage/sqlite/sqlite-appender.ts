/**
 * The write side of events, inside a transaction that someone else begins and commits. Appends of one transaction are gathered by
 * site and written once at its end, so that 64 single events cost little more than one batch (row 7 of docs/performance.md).
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { dayMs, dayOf, hourMs, monthOf } from '../../domain/date-range.ts'
import { arrivals } from '../../domain/event.ts'
import { toDecimal, zeroSum } from '../../domain/money.ts'
import type { AppendOutcome, EventBatch } from '../event-store.ts'
import { allocateColumns, type EventColumns } from './chunks/sqlite-chunk.ts'
import { ChunkWriter } from './chunks/sqlite-chunk-writer.ts'
import { addToSubject, type DayTotals, dayKey, decodeDay, emptyDay, encodeDay } from './days/sqlite-day.ts'
import { FacetWriter } from './facets/sqlite-facet-writer.ts'
import { type FacetTable, facetCountry } from './facets/sqlite-facets.ts'
import { HealthWriter } from './health/sqlite-health-writer.ts'
import type { SiteNote } from './health/sqlite-intake-notes.ts'
import { type GatheredSightings, type Matches, RequestMatcher } from './sightings/sqlite-request-matcher.ts'
import { isOneWay, ownFingerprint, sightingOf } from './sightings/sqlite-sighting.ts'
import { SqliteDictionary, subjectsPerSiteMax, TooManyNames } from './sqlite-dictionary.ts'
import {
  leavesTrace,
  originFields,
  type PackedEvents,
  selectEvents,
  subjectFields,
} from './sqlite-packed-events.ts'

export type PackedBatch = Omit<EventBatch, 'events'> & { readonly events: PackedEvents }

/** `too-many-names` becomes an error for the caller on the other side of the thread. */
export type PackedOutcome = AppendOutcome | { readonly outcome: 'too-many-names'; readonly limit: number }

const idempotencyMs = dayMs

/** Events that came in later than this after they happened are told as late. */
const lateMs = dayMs

/** Never the key of a whole request, since those that senders choose have no space. */
const onceKey = (key: string): string => `once ${key}`

interface Gathered {
  /** By type; each in the order of arrival until the end of the transaction. */
  readonly events: EventColumns[][]
  readonly sightings: GatheredSightings
  readonly days: Map<number, DayTotals>
  /** Ways in that have stored events with a sighting, as bits. */
  ways: number
  now: number
}

export class SqliteAppender {
  readonly #dictionary: SqliteDictionary
  readonly #chunks: ChunkWriter
  readonly #facets: FacetWriter
  readonly #matcher: RequestMatcher
  readonly #health: HealthWriter
  readonly #statements: ReturnType<typeof prepareStatements>
  readonly #gathered = new Map<number, Gathered>()
  /** Given to an event last in this transaction; null before the first. */
  #lastId: number | null = null
  readonly #usage = new Map<
    string,
    { account: number; month: number; used: number; bySite: Map<number, number> }
  >()

  constructor(database: DatabaseSync) {
    this.#dictionary = new SqliteDictionary(database)
    this.#chunks = new ChunkWriter(database)
    this.#facets = new FacetWriter(database)
    this.#matcher = new RequestMatcher(database, this.#dictionary)
    this.#health = new HealthWriter(database, this.#dictionary)
    this.#statements = prepareStatements(database)
  }

  append(batch: PackedBatch): PackedOutcome {
    const { site, now } = batch
    const state = this.#statements.state.get(site)
    if (state?.removed === 1) return { outcome: 'site-removed' }
    const repeated = this.#checkIdempotency(batch)
    if (repeated) return repeated
    const known = this.#knownKeys(batch)
    if (known.length > 0) return { outcome: 'known-keys', keys: known }
    const ways = this.#gathered.get(site)?.ways ?? Number(state?.ways ?? 0)
    const matches = this.#match(site, ways, batch.events)
    const events = matches ? selectEvents(batch.events, matches) : batch.events
    const usage = this.#usageOf(batch.account, monthOf(now))
    if (batch.monthlyLimit !== null && events.count > 0 && usage.used + events.count > batch.monthlyLimit) {
      matches?.forget()
      return { outcome: 'over-quota', used: usage.used, limit: batch.monthlyLimit }
    }
    try {
      if (events.count > 0) this.#gather(site, now, ways, events)
    } catch (error) {
      matches?.forget()
      if (error instanceof TooManyNames) return { outcome: 'too-many-names', limit: subjectsPerSiteMax }
      throw error
    }
    matches?.keep()
    usage.used += events.count
    usage.bySite.set(site, (usage.bySite.get(site) ?? 0) + events.count)
    if (batch.idempotency) {
      const { key, bodyHash, response } = batch.idempotency
      this.#statements.rememberRequest.run(site, key, bodyHash, response, now)
    }
    for (const key of batch.onceKeys ?? [])
      this.#statements.rememberRequest.run(site, onceKey(key), '', '', now)
    if (batch.importProgress) {
      const { id, offset, headLength, headHash, windowLength, windowHash, context, lines, updatedAt } =
        batch.importProgress
      this.#statements.importProgress.run(
        ...[site, id, offset, headLength, headHash, windowLength, windowHash, context, lines, updatedAt],
      )
    }
    if (leavesTrace(batch, batch.events)) this.#countIntake(batch, events.count)
    return { outcome: 'recorded' }
  }

  /** Counts what was taken without recording anything, and what was refused. */
  addNotes(notes: readonly SiteNote[]): void {
    for (const note of notes) this.#health.add(note.site, note)
  }

  /** Writes what was gathered; to be called once, right before the commit. */
  flush(): void {
    for (const [site, { events, days, now, ways }] of this.#gathered) {
      events.forEach((runs, type) => {
        if (runs.length > 0) this.#chunks.write(site, type, runs)
      })
      for (const [day, totals] of days) this.#statements.putDay.run(dayKey(site, day), encodeDay(totals))
      this.#statements.changeSite.run(site, now, ways, this.#health.take(site))
    }
    if (this.#lastId !== null) this.#statements.setLastId.run(this.#lastId)
    this.#lastId = null
    this.#health.flush()
    this.#facets.flush()
    for (const { account, month, bySite } of this.#usage.values()) {
      for (const [site, events] of bySite)
        if (events > 0) this.#statements.addUsage.run(account, month, site, events)
    }
    this.#gathered.clear()
    this.#usage.clear()
  }

  /** To be called after a rollback. */
  discard(): void {
    this.#gathered.clear()
    this.#lastId = null
    this.#facets.discard()
    this.#usage.clear()
    this.#dictionary.forget()
    this.#matcher.discard()
    this.#health.discard()
  }

  /** Drops requests remembered for longer than 24 h. */
  forgetOldRequests(now: number): void {
    this.#statements.forgetRequests.run(now - idempotencyMs)
  }

  #checkIdempotency({ site, now, idempotency }: PackedBatch): AppendOutcome | null {
    if (!idempotency) return null
    const seen = this.#statements.findRequest.get(site, idempotency.key, now - idempotencyMs)
    if (!seen) return null
    return seen.body_hash === idempotency.bodyHash
      ? { outcome: 'replayed', response: String(seen.response) }
      : { outcome: 'idempotency-mismatch' }
  }

  #knownKeys({ site, now, onceKeys = [] }: PackedBatch): string[] {
    return onceKeys.filter(key => this.#statements.findRequest.get(site, onceKey(key), now - idempotencyMs))
  }

  #usageOf(account: number, month: number) {
    const key = `${account} ${month}`
    let usage = this.#usage.get(key)
    if (!usage) {
      const used = Number(this.#statements.usage.get(account, month)?.used ?? 0)
      usage = { account, month, used, bySite: new Map() }
      this.#usage.set(key, usage)
    }
    return usage
  }

  #countIntake({ site, now, events, intake }: PackedBatch, recorded: number): void {
    if (!intake) return
    this.#health.add(site, {
      arrival: arrivals.indexOf(intake.arrival),
      now,
      recorded,
      merged: events.count - recorded,
      late: events.time.reduce((late, time) => (time < now - lateMs ? late + 1 : late), 0),
      duplicates: intake.duplicates,
      ignored: intake.ignored,
      rejected: 0,
      reason: '',
    })
  }

  /** Null where no other way in can have reported the same: most sites have one. */
  #match(site: number, ways: number, events: PackedEvents): Matches | null {
    if (events.allWays === 0 || isOneWay(ways | events.allWays)) return null
    return this.#matcher.match(site, events, this.#gathered.get(site)?.sightings ?? null)
  }

  #gather(site: number, now: number, ways: number, events: PackedEvents): void {
    const ids = this.#dictionary.resolve(site, events)
    const idBefore = this.#takeIds(events.count)
    let gathered = this.#gathered.get(site)
    if (!gathered) {
      const runs: EventColumns[][] = [[], [], []]
      gathered = { events: runs, sightings: this.#matcher.gathered(runs), days: new Map(), ways, now }
      this.#gathered.set(site, gathered)
    }
    gathered.now = Math.max(gathered.now, now)
    gathered.ways |= events.allWays
    const byType = splitByType(events, ids, idBefore)
    byType.forEach((columns, type) => {
      if (columns.count > 0) gathered.events[type]!.push(columns)
    })
    this.#addToDays(site, gathered.days, events, ids)
  }

  /** As many ids as events, the first of them behind the one given back; written down once a transaction. */
  #takeIds(count: number): number {
    const before = this.#lastId ?? Number(this.#statements.lastId.get()?.value)
    this.#lastId = before + count
    return before
  }

  #addToDays(
    site: number,
    days: Map<number, DayTotals>,
    events: PackedEvents,
    ids: { texts: Float64Array; subjects: Float64Array },
  ): void {
    const tails = new Map<number, FacetTable>()
    for (let i = 0; i < events.count; i++) {
      const time = events.time[i]!
      const day = dayOf(time)
      let totals = days.get(day)
      if (!totals) {
        const stored = this.#statements.getDay.get(dayKey(site, day))
        totals = stored ? decodeDay(stored.data as Uint8Array) : emptyDay()
        days.set(day, totals)
      }
      let tail = tails.get(day)
      if (!tail) {
        tail = this.#facets.tailOf(site, day)
        tails.set(day, tail)
      }
      const subject = events.origins[events.origin[i]! * originFields]!
      const type = events.subjects[subject * subjectFields]!
      const hour = Math.floor((time - day * dayMs) / hourMs)
      totals.hours[hour * 3 + type]!++
      const value = events.value[i]!
      const sum = Number.isNaN(value) ? zeroSum : toDecimal(value)
      addToSubject(totals, ids.subjects[subject]!, sum)
      tail.add(ids.subjects[subject]!, ids.texts[events.path[i]!]!, facetCountry(events.country[i]!), 1, sum)
    }
  }
}

function splitByType(
  events: PackedEvents,
  ids: { texts: Float64Array; origins: Float64Array },
  idBefore: number,
): EventColumns[] {
  const typeOf = (i: number): number =>
    events.subjects[events.origins[events.origin[i]! * originFields]! * subjectFields]!
  const counts = [0, 0, 0]
  for (let i = 0; i < events.count; i++) counts[typeOf(i)]!++
  const columns = counts.map((count, type) => allocateColumns(count, type === 2))
  const next = [0, 0, 0]
  for (let i = 0; i < events.count; i++) {
    const type = typeOf(i)
    const target = columns[type]!
    const at = next[type]!++
    target.time[at] = events.time[i]!
    target.id[at] = idBefore + i
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
    // A revision is at least the time, so that a restored backup never repeats one.
    changeSite: prepare(
      `INSERT INTO site_state (site, revision, ways, health) VALUES (?1, ?2, ?3, coalesce(?4, x''))
       ON CONFLICT (site) DO UPDATE SET
         revision = max(revision + 1, ?2), ways = ?3, health = coalesce(?4, health)`,
    ),
    lastId: prepare("SELECT value FROM counter WHERE name = 'event-id'"),
    setLastId: prepare("UPDATE counter SET value = ? WHERE name = 'event-id'"),
    getDay: prepare('SELECT data FROM day WHERE key = ?'),
    putDay: prepare(
      'INSERT INTO day (key, data) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET data = excluded.data',
    ),
    usage: prepare('SELECT sum(events) AS used FROM usage WHERE account = ? AND month = ?'),
    addUsage: prepare(
      `INSERT INTO usage (account, month, site, events) VALUES (?, ?, ?, ?)
       ON CONFLICT (account, month, site) DO UPDATE SET events = events + excluded.events`,
    ),
    findRequest: prepare(
      'SELECT body_hash, response FROM idempotency WHERE site = ? AND key = ? AND created_at > ?',
    ),
    rememberRequest: prepare(
      'INSERT OR REPLACE INTO idempotency (site, key, body_hash, response, created_at) VALUES (?, ?, ?, ?, ?)',
    ),
    forgetRequests: prepare('DELETE FROM idempotency WHERE created_at <= ?'),
    importProgress: prepare(
      `INSERT OR REPLACE INTO import_progress
       (site, id, "offset", head_length, head_hash, window_length, window_hash, context, lines, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
  }
}
