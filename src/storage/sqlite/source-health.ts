/** Reads the counts of each source of a site that health-ledger.ts writes. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { type Source, sources } from '../../domain/event.ts'
import type { SourceDay, SourceHealth } from '../event-store.ts'

type Row = Record<string, SQLInputValue>

export class SourceHealthReader {
  readonly #sources: StatementSync
  readonly #ignored: StatementSync
  readonly #days: StatementSync

  constructor(reader: DatabaseSync) {
    this.#sources = reader.prepare('SELECT * FROM source_health WHERE site = ?')
    this.#ignored = reader.prepare('SELECT reason, count FROM source_ignored WHERE site = ? AND source = ?')
    this.#days = reader.prepare(
      'SELECT day, received, recorded, merged FROM source_day WHERE site = ? AND source = ? ORDER BY day',
    )
  }

  read(site: number): SourceHealth[] {
    const found = this.#sources.all(site).map(row => this.#toHealth(site, row as Row))
    return found.sort((a, b) => sources.indexOf(a.source) - sources.indexOf(b.source))
  }

  #toHealth(site: number, row: Row): SourceHealth {
    const source = row.source as Source
    const ignored = this.#ignored
      .all(site, source)
      .map(({ reason, count }) => [String(reason), Number(count)])
    return {
      source,
      firstSeen: row.first_seen as number | null,
      lastSeen: row.last_seen as number | null,
      longestPauseMs: Math.max(Number(row.pause), Number(row.pause_before)),
      received: Number(row.received),
      recorded: Number(row.recorded),
      merged: Number(row.merged),
      late: Number(row.late),
      duplicates: Number(row.duplicates),
      ignored: Object.fromEntries(ignored),
      unknownFields: Number(row.unknown_fields),
      rejected: Number(row.rejected),
      lastRejection:
        row.rejected_at === null
          ? null
          : { at: Number(row.rejected_at), reason: String(row.rejected_reason) },
      days: this.#days.all(site, source).map(day => ({ ...day }) as unknown as SourceDay),
    }
  }
}
