/** What was recorded in a month: of an account as it is written down with every commit, of its sites as it is filed, with what waits. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { monthRange } from '../../domain/date-range.ts'
import type { WaitingRows } from './inbox/sqlite-waiting-rows.ts'
import type { Snapshot } from './sqlite-snapshot.ts'

export class UsageReader {
  readonly #inSnapshot: Snapshot
  readonly #waitingRows: WaitingRows
  readonly #ofAccount: StatementSync
  readonly #filed: StatementSync

  constructor(reader: DatabaseSync, inSnapshot: Snapshot, waitingRows: WaitingRows) {
    this.#inSnapshot = inSnapshot
    this.#waitingRows = waitingRows
    this.#ofAccount = reader.prepare('SELECT events FROM account_usage WHERE account = ? AND month = ?')
    this.#filed = reader.prepare(
      `SELECT site, events FROM json_each(?) AS wanted
       CROSS JOIN site_usage ON site_usage.site = wanted.value AND site_usage.month = ?`,
    )
  }

  ofAccount(account: number, month: number): number {
    return Number(this.#ofAccount.get(account, month)?.events ?? 0)
  }

  ofSites(sites: readonly number[], month: number): Map<number, number> {
    return this.#inSnapshot(() => {
      const filed = this.#filed.all(JSON.stringify(sites), month)
      const usage = new Map(filed.map(({ site, events }) => [Number(site), Number(events)]))
      const { startMs, endMs } = monthRange(month)
      for (const site of sites) {
        for (const { recordedAt, events } of this.#waitingRows.stateIn(site).waiting)
          if (recordedAt >= startMs && recordedAt < endMs) usage.set(site, (usage.get(site) ?? 0) + events)
      }
      return usage
    })
  }
}
