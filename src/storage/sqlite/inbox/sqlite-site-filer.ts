/**
 * Files events into chunks and roll-ups, inside a transaction that someone else begins and commits. What one transaction files of a
 * site is gathered and written once at its end. A site is filed whole: what lies in its inbox comes first.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { dayOf, monthOf } from '../../../domain/date-range.ts'
import { toDecimal, zeroSum } from '../../../domain/money.ts'
import { ChunkWriter } from '../chunks/sqlite-chunk-writer.ts'
import type { EventColumns } from '../chunks/sqlite-event-columns.ts'
import { addToDay, type DayTotals, dayKey, decodeDay, emptyDay, encodeDay } from '../days/sqlite-day.ts'
import { FacetWriter } from '../facets/sqlite-facet-writer.ts'
import { type FacetTable, facetCountry } from '../facets/sqlite-facets.ts'
import type { HealthWriter } from '../health/sqlite-health-writer.ts'
import { GatheredSightings } from '../sightings/sqlite-request-matcher.ts'
import type { SqliteDictionary } from '../sqlite-dictionary.ts'
import { revisionAfter } from '../sqlite-revision.ts'
import type { Inbox } from './sqlite-inbox.ts'
import type { InboxRow, Recorded, TypedEvents } from './sqlite-inbox-rows.ts'

interface GatheredSite {
  /** By type; each in the order of arrival. */
  readonly events: EventColumns[][]
  readonly sightings: GatheredSightings
  readonly days: Map<number, GatheredDay>
  /** Ways in that have stored events with a sighting, as bits. */
  ways: number
  revision: number
  /** Events that are new to the site, by the month in which they were recorded. */
  readonly months: Map<number, number>
  /** The last row of the inbox that is among them, or was filed before. */
  readonly filed: number
}

interface GatheredDay {
  readonly totals: DayTotals
  readonly tail: FacetTable
}

export class SiteFiler {
  readonly #inbox: Inbox
  readonly #dictionary: SqliteDictionary
  readonly #health: HealthWriter
  readonly #chunks: ChunkWriter
  readonly #facets: FacetWriter
  readonly #statements: ReturnType<typeof prepareStatements>
  readonly #gathered = new Map<number, GatheredSite>()

  constructor(database: DatabaseSync, inbox: Inbox, dictionary: SqliteDictionary, health: HealthWriter) {
    this.#inbox = inbox
    this.#dictionary = dictionary
    this.#health = health
    this.#chunks = new ChunkWriter(database)
    this.#facets = new FacetWriter(database)
    this.#statements = prepareStatements(database)
  }

  /** Whether this transaction files the site: what is added to it costs next to nothing then. */
  isFiling(site: number): boolean {
    return this.#gathered.has(site)
  }

  /** Ways in that have stored events with a sighting, as bits; 0 for a site that this transaction does not file. */
  waysOf(site: number): number {
    return this.#gathered.get(site)?.ways ?? 0
  }

  /** Takes what lies in the site's inbox. */
  file(site: number): void {
    this.#of(site)
  }

  add(site: number, rows: readonly InboxRow[]): void {
    const gathered = this.#of(site)
    for (const row of rows) {
      this.#add(site, gathered, row)
      move(gathered, { events: row.columns.count, recordedAt: row.recordedAt })
    }
  }

  /** The events that this transaction files of a site, to be searched for other reports of the same requests. */
  sightingsOf(site: number): GatheredSightings {
    return this.#of(site).sightings
  }

  /** Writes what was gathered; to be called once, right before the commit. Returns the sites whose state may have changed. */
  flush(): number[] {
    const sites = [...this.#gathered.keys()]
    for (const [site, { events, days, revision, months, ways, filed }] of this.#gathered) {
      if (events.every(runs => runs.length === 0)) continue
      this.#chunks.write(site, events)
      for (const [day, { totals }] of days) this.#statements.putDay.run(dayKey(site, day), encodeDay(totals))
      for (const [month, count] of months) this.#statements.addUsage.run(site, month, count)
      this.#statements.changeSite.run(site, revision, ways, this.#health.take(site), filed)
    }
    this.#facets.flush()
    this.#inbox.sweep()
    this.#gathered.clear()
    return sites
  }

  /** To be called after a rollback. */
  discard(): void {
    this.#gathered.clear()
    this.#facets.discard()
  }

  #of(site: number): GatheredSite {
    let gathered = this.#gathered.get(site)
    if (gathered) return gathered
    const state = this.#statements.state.get(site)
    const events: EventColumns[][] = [[], [], []]
    const taken = this.#inbox.take(site, Number(state?.filed ?? 0))
    gathered = {
      events,
      sightings: new GatheredSightings(events, origin => this.#dictionary.subjectOf(origin)),
      days: new Map(),
      ways: Number(state?.ways ?? 0),
      revision: Number(state?.revision ?? 0),
      months: new Map(),
      filed: taken.filed,
    }
    for (const each of taken.recorded) move(gathered, each)
    this.#gathered.set(site, gathered)
    if (state?.removed !== 1) for (const each of taken.events) this.#add(site, gathered, each)
    return gathered
  }

  #add(site: number, gathered: GatheredSite, { type, columns, ways, notes }: TypedEvents): void {
    gathered.events[type]!.push(columns)
    gathered.ways |= ways
    this.#addToDays(site, gathered.days, type, columns)
    for (const note of notes) this.#health.add(site, note)
  }

  #addToDays(site: number, days: Map<number, GatheredDay>, type: number, columns: EventColumns): void {
    for (let i = 0; i < columns.count; i++) {
      const time = columns.time[i]!
      const number = dayOf(time)
      const day = days.get(number) ?? this.#openDay(site, days, number)
      const subject = this.#dictionary.subjectOf(columns.origin[i]!)
      const value = columns.value?.[i] ?? Number.NaN
      const sum = Number.isNaN(value) ? zeroSum : toDecimal(value)
      addToDay(day.totals, time, type, subject, sum)
      day.tail.add(subject, columns.path[i]!, facetCountry(columns.country[i]!), 1, sum)
    }
  }

  #openDay(site: number, days: Map<number, GatheredDay>, number: number): GatheredDay {
    const stored = this.#statements.getDay.get(dayKey(site, number))
    const totals = stored ? decodeDay(stored.data as Uint8Array) : emptyDay()
    const day = { totals, tail: this.#facets.tailOf(site, number) }
    days.set(number, day)
    return day
  }
}

/** The site's revision and its months move on by what was recorded together. */
function move(site: GatheredSite, { events, recordedAt }: Recorded): void {
  site.revision = revisionAfter(site.revision, recordedAt)
  const month = monthOf(recordedAt)
  site.months.set(month, (site.months.get(month) ?? 0) + events)
}

function prepareStatements(database: DatabaseSync) {
  const prepare = (sql: string): StatementSync => database.prepare(sql)
  return {
    state: prepare('SELECT revision, removed, ways, filed FROM site_state WHERE site = ?'),
    changeSite: prepare(
      `INSERT INTO site_state (site, revision, ways, health, filed) VALUES (?1, ?2, ?3, coalesce(?4, x''), ?5)
       ON CONFLICT (site) DO UPDATE SET
         revision = ?2, ways = ?3, health = coalesce(?4, health), filed = ?5`,
    ),
    addUsage: prepare(
      `INSERT INTO site_usage (site, month, events) VALUES (?, ?, ?)
       ON CONFLICT (site, month) DO UPDATE SET events = events + excluded.events`,
    ),
    getDay: prepare('SELECT data FROM day WHERE key = ?'),
    putDay: prepare(
      'INSERT INTO day (key, data) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET data = excluded.data',
    ),
  }
}
