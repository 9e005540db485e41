/** Forgets everything about a site, a slice a transaction, so that recording for other sites goes on in between. */
import type { DatabaseSync } from 'node:sqlite'
import { dayKey } from './days/sqlite-day.ts'
import { revisionAfter } from './sqlite-revision.ts'

const rowsPerSlice = 2_000

const slices = [
  'DELETE FROM inbox WHERE id IN (SELECT id FROM inbox WHERE site = ? LIMIT ?)',
  'DELETE FROM chunk WHERE id IN (SELECT id FROM chunk WHERE site = ? LIMIT ?)',
  'DELETE FROM origin WHERE id IN (SELECT id FROM origin WHERE site = ? LIMIT ?)',
  'DELETE FROM text WHERE id IN (SELECT id FROM text WHERE site = ? LIMIT ?)',
  'DELETE FROM subject WHERE id IN (SELECT id FROM subject WHERE site = ? LIMIT ?)',
  'DELETE FROM idempotency WHERE (site, key) IN (SELECT site, key FROM idempotency WHERE site = ? LIMIT ?)',
  'DELETE FROM site_usage WHERE (site, month) IN (SELECT site, month FROM site_usage WHERE site = ? LIMIT ?)',
  'DELETE FROM import_progress WHERE (site, id) IN (SELECT site, id FROM import_progress WHERE site = ? LIMIT ?)',
]

/** From now on the site takes no events. What it recorded stays in the month of its account. */
export function markSiteRemoved(database: DatabaseSync, site: number, now: number): void {
  database
    .prepare(
      `INSERT INTO site_state (site, revision, removed) VALUES (?, ?, 1)
       ON CONFLICT (site) DO UPDATE SET
         revision = max(revision + 1, excluded.revision), removed = 1, ways = 0, health = x''`,
    )
    .run(site, revisionAfter(0, now))
}

/** True when nothing is left. Each slice is a new revision: nobody may keep what he saw in between. */
export function removeSiteSlice(database: DatabaseSync, site: number): boolean {
  if (!deleteSlice(database, site)) return true
  database.prepare('UPDATE site_state SET revision = revision + 1 WHERE site = ?').run(site)
  return false
}

/** Days first, since they refer to names. False when there was nothing to delete. */
function deleteSlice(database: DatabaseSync, site: number): boolean {
  for (const table of ['day', 'facet', 'facet_tail']) {
    const days = database.prepare(
      `DELETE FROM ${table} WHERE key IN (SELECT key FROM ${table} WHERE key >= ? AND key < ? LIMIT ?)`,
    )
    if (Number(days.run(dayKey(site, 0), dayKey(site + 1, 0), rowsPerSlice).changes) > 0) return true
  }
  return slices.some(sql => Number(database.prepare(sql).run(site, rowsPerSlice).changes) > 0)
}
