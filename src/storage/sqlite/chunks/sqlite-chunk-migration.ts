/**
 * Brings events of files from before there was a run of all of them into it: they lay in a run a type. Those of a site are read in the
 * order of time and its new chunks are written one behind the other, so that what is in memory does not grow with the file.
 */
import type { DatabaseSync } from 'node:sqlite'
import { countThatFits, encodeChunk, typesOf } from './sqlite-chunk.ts'
import { ChunkReader } from './sqlite-chunk-reader.ts'
import { allRun, conversionRun } from './sqlite-chunk-writer.ts'
import { countBefore, type EventColumns, mergeColumns, slice, withType } from './sqlite-event-columns.ts'

/** Of events that nothing older follows, so many are written at once. */
const writtenAtOnce = 5_000

/** Inside a transaction that someone else begins and commits. */
export function mergeRuns(database: DatabaseSync): void {
  const sites = database.prepare(`SELECT DISTINCT site FROM chunk WHERE run < ${allRun}`)
  const idsOfSite = database.prepare(
    `SELECT id FROM chunk WHERE site = ? AND run < ${allRun} ORDER BY first_time, first_id`,
  )
  const chunkOf = database.prepare('SELECT run, first_time, first_id, data FROM chunk WHERE id = ?')
  const insert = database.prepare(
    `INSERT INTO chunk (site, run, first_time, first_id, data, types) VALUES (?, ${allRun}, ?, ?, ?, ?)`,
  )
  // The run of conversions stays as it is.
  const remove = database.prepare(
    `DELETE FROM chunk WHERE site = ? AND run < ${allRun} AND run <> ${conversionRun}`,
  )
  /** Writes the first `end` events; keeps those back that may share a chunk with what comes next. */
  const write = (site: number, events: EventColumns, end: number, isLast: boolean): EventColumns => {
    const written = slice(events, 0, end)
    let start = 0
    while (start < end) {
      const next = start + countThatFits(written, start)
      if (next === end && !isLast) break
      const data = encodeChunk(written, start, next)
      insert.run(site, written.time[start]!, written.id[start]!, data, typesOf(written, start, next))
      start = next
    }
    return slice(events, start, events.count)
  }
  for (const row of sites.all()) {
    const site = Number(row.site)
    let waiting: EventColumns | null = null
    for (const { id } of idsOfSite.all(site)) {
      const { run, first_time, first_id, data } = chunkOf.get(id!)!
      const found = withType(new ChunkReader(data as Uint8Array).columns(), Number(run))
      if (waiting) {
        const end = countBefore(waiting, { time: Number(first_time), id: Number(first_id) })
        if (end >= writtenAtOnce) waiting = write(site, waiting, end, false)
        waiting = mergeColumns(waiting, found)
      } else waiting = found
    }
    if (waiting) write(site, waiting, waiting.count, true)
    remove.run(site)
  }
}
