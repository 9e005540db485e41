/** Counts the deliveries of each source of a site, inside a transaction that the writer thread begins and commits. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { dayOf } from '../../domain/date-range.ts'
import type { Source } from '../../domain/event.ts'
import type { DailyLoad, Intake } from '../event-store.ts'

/** The number of days that are counted one by one. */
const daysKept = 7
const daysOfWeek = 7

/** What one source delivered in one batch, or the sum of several deliveries that recorded nothing. */
export interface Delivery {
  readonly site: number
  readonly source: Source
  readonly now: number
  readonly recorded: number
  readonly merged: number
  readonly late: number
  readonly duplicates: number
  readonly unknownFields: number
  readonly ignored: Readonly<Record<string, number>>
  readonly load: readonly DailyLoad[]
}

/** Refused requests. `now` and `reason` are those of the last one. */
export interface Refusals {
  readonly site: number
  readonly source: Source
  readonly now: number
  readonly rejected: number
  readonly reason: string
}

export const deliveryOf = (site: number, now: number, intake: Intake): Delivery => ({
  site,
  source: intake.source,
  now,
  recorded: 0,
  merged: 0,
  late: 0,
  duplicates: intake.duplicates,
  unknownFields: intake.unknownFields ?? 0,
  ignored: intake.ignored,
  load: intake.load ?? [],
})

export class HealthLedger {
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(database: DatabaseSync) {
    this.#statements = prepareStatements(database)
  }

  add({
    site,
    source,
    now,
    recorded,
    merged,
    late,
    duplicates,
    unknownFields,
    ignored,
    load,
  }: Delivery): void {
    const { addIgnored, addDay, dropDays, addLoad, find, replaceTimes, addCounts } = this.#statements
    let received = recorded + merged + duplicates
    for (const [reason, count] of Object.entries(ignored)) {
      if (count === 0) continue
      received += count
      addIgnored.run(site, source, reason, count)
    }
    const known = find.get(site, source) as Times | undefined
    addCounts.run(site, source, received, recorded, merged, late, duplicates, unknownFields)
    const { first_seen, last_seen, week, pause, pause_before } = timesAfter(known, now)
    replaceTimes.run(first_seen, last_seen, week, pause, pause_before, site, source)
    const day = dayOf(now)
    addDay.run(site, source, day, received, recorded, merged)
    if (known && known.last_seen !== null && dayOf(known.last_seen) < day)
      dropDays.run(site, source, day - daysKept)
    for (const { day, kind, requests, bytes, durationMs } of load)
      addLoad.run(site, day, source, kind, requests, bytes, durationMs)
  }

  refuse({ site, source, now, rejected, reason }: Refusals): void {
    this.#statements.addRefusals.run(site, source, rejected, now, reason)
  }
}

interface Times {
  readonly first_seen: number | null
  readonly last_seen: number | null
  readonly week: number
  /** The longest pauses before a delivery, in the week of `last_seen` and in the week before. */
  readonly pause: number
  readonly pause_before: number
}

/** The new times after a delivery. Another process may already have recorded a later one. */
function timesAfter(times: Times | undefined, now: number): Times {
  const week = Math.floor(dayOf(now) / daysOfWeek)
  if (!times || times.last_seen === null)
    return { first_seen: now, last_seen: now, week, pause: 0, pause_before: 0 }
  if (now <= times.last_seen) return times
  const before = week === times.week ? times.pause_before : week === times.week + 1 ? times.pause : 0
  const longest = week === times.week ? times.pause : 0
  return {
    ...times,
    last_seen: now,
    week,
    pause: Math.max(longest, now - times.last_seen),
    pause_before: before,
  }
}

function prepareStatements(database: DatabaseSync) {
  const prepare = (sql: string): StatementSync => database.prepare(sql)
  return {
    find: prepare(
      'SELECT first_seen, last_seen, week, pause, pause_before FROM source_health WHERE site = ? AND source = ?',
    ),
    addCounts: prepare(
      `INSERT INTO source_health (site, source, week, pause, pause_before, received, recorded, merged, late, duplicates, unknown_fields, rejected)
       VALUES (?, ?, 0, 0, 0, ?, ?, ?, ?, ?, ?, 0)
       ON CONFLICT DO UPDATE SET received = received + excluded.received, recorded = recorded + excluded.recorded,
         merged = merged + excluded.merged, late = late + excluded.late, duplicates = duplicates + excluded.duplicates,
         unknown_fields = unknown_fields + excluded.unknown_fields`,
    ),
    replaceTimes: prepare(
      `UPDATE source_health SET first_seen = ?, last_seen = ?, week = ?, pause = ?, pause_before = ? WHERE site = ? AND source = ?`,
    ),
    addRefusals: prepare(
      `INSERT INTO source_health (site, source, week, pause, pause_before, received, recorded, merged, late, duplicates, unknown_fields,
         rejected, rejected_at, rejected_reason)
       VALUES (?, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0, ?, ?, ?)
       ON CONFLICT DO UPDATE SET rejected = rejected + excluded.rejected, rejected_at = excluded.rejected_at,
         rejected_reason = excluded.rejected_reason`,
    ),
    addIgnored: prepare(
      `INSERT INTO source_ignored (site, source, reason, count) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET count = count + excluded.count`,
    ),
    addDay: prepare(
      `INSERT INTO source_day (site, source, day, received, recorded, merged) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET received = received + excluded.received, recorded = recorded + excluded.recorded,
         merged = merged + excluded.merged`,
    ),
    dropDays: prepare('DELETE FROM source_day WHERE site = ? AND source = ? AND day <= ?'),
    addLoad: prepare(
      `INSERT INTO load_by_day (site, day, source, kind, requests, bytes, duration_ms) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, bytes = bytes + excluded.bytes,
         duration_ms = duration_ms + excluded.duration_ms`,
    ),
  }
}
