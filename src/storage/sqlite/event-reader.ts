/** Answers every query about events on one connection, synchronously. The main thread has one, and the reader thread has another. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type DateRange, dayMs } from '../../domain/date-range.ts'
import {
  type EventPosition,
  type EventType,
  eventTypes,
  type Source,
  type StoredEvent,
} from '../../domain/event.ts'
import { addDecimals, fromDecimal, zeroSum } from '../../domain/money.ts'
import type {
  AttributedCount,
  Breakdown,
  BreakdownQuery,
  CountsByName,
  DailyLoad,
  EventListQuery,
  ExportedEvent,
  Granularity,
  ImportProgress,
  ListedEvent,
  LoadKind,
  NameCount,
  SeriesPoint,
  SourceHealth,
} from '../event-store.ts'
import { BreakdownReader } from './breakdown.ts'
import { DailyTotals } from './daily-totals.ts'
import { EventListReader } from './event-list.ts'
import { toImportProgress } from './import-positions.ts'
import { SourceHealthReader } from './source-health.ts'
import { Subjects } from './subjects.ts'

export class EventReader {
  readonly #subjects: Subjects
  readonly #totals: DailyTotals
  readonly #breakdown: BreakdownReader
  readonly #list: EventListReader
  readonly #health: SourceHealthReader
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(reader: DatabaseSync, cacheBytes: number) {
    this.#subjects = new Subjects(reader)
    this.#totals = new DailyTotals(reader, cacheBytes)
    this.#breakdown = new BreakdownReader(reader, this.#subjects)
    this.#list = new EventListReader(reader, this.#subjects)
    this.#health = new SourceHealthReader(reader)
    this.#statements = prepareStatements(reader)
  }

  /** 0 for a site without events. */
  revision(site: number): number {
    return Number(this.#statements.revision.get(site)?.revision ?? 0)
  }

  counts(site: number, range: DateRange): CountsByName {
    // The totals may be newer than this revision. In that case the next request loads them again.
    const sums = this.#totals.sums(site, this.revision(site), range)
    const counts: Record<EventType, NameCount[]> = { bot: [], referral: [], conversion: [] }
    for (const { subject, count, value } of this.#subjects.mergeNames(sums)) {
      const { type, name, company } = this.#subjects.of(subject)
      counts[type].push({ name, company, count, value: fromDecimal(value) })
    }
    for (const type of eventTypes) counts[type].sort(largestFirst)
    return counts
  }

  /** The number of events of a site in a range. */
  countOf(site: number, range: DateRange): number {
    return this.#totals.sums(site, this.revision(site), range).reduce((sum, { count }) => sum + count, 0)
  }

  series(site: number, { start, end }: DateRange, granularity: Granularity): SeriesPoint[] {
    const hoursPerBucket = granularity === 'day' ? 24 : 1
    const rows = this.#statements.series.all(hoursPerBucket, site, start * 24, end * 24 + 23)
    return (rows as unknown as number[][]).map(([bucket, bot, referral, conversion]) => ({
      bucket: bucket!,
      bot: bot!,
      referral: referral!,
      conversion: conversion!,
    }))
  }

  extent(site: number): DateRange | null {
    const row = this.#statements.extent.get(site, site)!
    return row.first === null ? null : { start: Number(row.first), end: Number(row.last) }
  }

  breakdown(site: number, query: BreakdownQuery): Breakdown {
    return this.#inSnapshot(() => this.#breakdown.read(site, query))
  }

  attribution(site: number, { start, end }: DateRange): AttributedCount[] {
    const rows = this.#statements.attribution.all(site, start * dayMs, (end + 1) * dayMs - 1)
    return rows.map(row => ({
      assistant: String(row.assistant) || null,
      landing: row.landing === null ? null : String(row.landing),
      name: String(row.name),
      count: Number(row.count),
      value: addDecimals(zeroSum, { whole: Number(row.whole), billionths: Number(row.billionths) }),
    }))
  }

  list(site: number, query: EventListQuery): ListedEvent[] {
    return this.#list.list(site, query)
  }

  find(site: number, position: EventPosition): StoredEvent | null {
    return this.#list.find(site, position)
  }

  exportSite(site: number, after: EventPosition | null, limit: number): ExportedEvent[] {
    return this.#list.export(site, after, limit)
  }

  load(site: number, { start, end }: DateRange): (DailyLoad & { readonly source: Source })[] {
    return this.#statements.load.all(site, start, end).map(row => ({
      day: Number(row.day),
      source: row.source as Source,
      kind: row.kind as LoadKind,
      requests: Number(row.requests),
      bytes: Number(row.bytes),
      durationMs: Number(row.duration_ms),
    }))
  }

  usage(account: number, month: number): number {
    return Number(this.#statements.usage.get(account, month)?.events ?? 0)
  }

  usageOfSites(sites: readonly number[], month: number): Map<number, number> {
    const rows = this.#statements.usageOfSites.all(JSON.stringify(sites), month)
    return new Map(rows.map(({ site, events }) => [Number(site), Number(events)]))
  }

  imports(site: number): ImportProgress[] {
    return this.#statements.imports
      .all(site)
      .map(row => toImportProgress(row as Parameters<typeof toImportProgress>[0]))
  }

  health(site: number): SourceHealth[] {
    return this.#inSnapshot(() => this.#health.read(site))
  }

  /** Runs a function whose statements all see the database as it was at the first statement. Calls must not be nested. */
  #inSnapshot<Value>(read: () => Value): Value {
    const { begin, commit } = this.#statements
    begin.run()
    try {
      return read()
    } finally {
      commit.run()
    }
  }
}

const largestFirst = (a: NameCount, b: NameCount): number =>
  b.count - a.count || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

function prepareStatements(reader: DatabaseSync) {
  const prepare = (sql: string): StatementSync => reader.prepare(sql)
  const series = prepare(
    `SELECT hour / CAST(? AS INTEGER) AS bucket, ${eventTypes.map((_, type) => `sum(CASE type WHEN ${type} THEN count ELSE 0 END)`).join(', ')}
     FROM by_hour WHERE site = ? AND hour BETWEEN ? AND ? GROUP BY bucket ORDER BY bucket`,
  )
  series.setReturnArrays(true)
  return {
    begin: prepare('BEGIN'),
    commit: prepare('COMMIT'),
    revision: prepare('SELECT revision FROM site_state WHERE site = ?'),
    series,
    extent: prepare(
      'SELECT (SELECT min(day) FROM by_day WHERE site = ?) AS first, (SELECT max(day) FROM by_day WHERE site = ?) AS last',
    ),
    attribution: prepare(
      `SELECT o.assistant, CASE WHEN o.assistant <> '' THEN l.text END AS landing, s.name, count(*) AS count, total(e.value) AS whole, total(e.value_billionths) AS billionths
       FROM event e INDEXED BY event_conversions
       JOIN origin o ON o.id = e.origin JOIN subject s ON s.id = e.subject LEFT JOIN path l ON l.id = o.landing
       WHERE e.site = ? AND e.type = 2 AND e.at BETWEEN ? AND ? GROUP BY 1, 2, 3`,
    ),
    load: prepare(
      `SELECT day, source, kind, requests, bytes, duration_ms FROM load_by_day WHERE site = ? AND day BETWEEN ? AND ?
       ORDER BY day, source, kind`,
    ),
    usage: prepare('SELECT events FROM account_usage WHERE account = ? AND month = ?'),
    usageOfSites: prepare(
      `SELECT site, events FROM json_each(?) AS wanted
       CROSS JOIN site_usage ON site_usage.site = wanted.value AND site_usage.month = ?`,
    ),
    imports: prepare('SELECT * FROM import_progress WHERE site = ?'),
  }
}
