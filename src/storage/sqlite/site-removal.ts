/** Deletes everything about a site in slices of one transaction each, so that other sites can record in between. */
import type { DatabaseSync } from 'node:sqlite'

const rowsPerSlice = 5_000

/** The tables with rows of a site, and the rest of each primary key after the site. */
const tables: Readonly<Record<string, string>> = {
  event: 'at, id',
  by_day: 'day, subject, status, verdict, robots',
  by_hour: 'hour, type, verdict',
  by_country: 'day, country, subject',
  load_by_day: 'day, source, kind',
  batch: 'first_id',
  robots_read: 'subject, at',
  origin: 'id',
  path: 'id',
  agent: 'id',
  subject: 'id',
  idempotency: 'key',
  import_progress: 'id',
  site_usage: 'month',
  source_health: 'source',
  source_ignored: 'source, reason',
  source_day: 'source, day',
}

/** Deletes some rows of the site. False when there was nothing left to delete. */
export function removeSlice(database: DatabaseSync, site: number): boolean {
  for (const [table, key] of Object.entries(tables)) {
    const { changes } = database
      .prepare(
        `DELETE FROM ${table} WHERE site = ?1 AND (${key}) IN (SELECT ${key} FROM ${table} WHERE site = ?1 LIMIT ?2)`,
      )
      .run(site, rowsPerSlice)
    if (Number(changes) > 0) return true
  }
  return false
}
