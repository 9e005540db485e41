/** Counts what accounts and sites record in a month: quotas ask for the one, the list of sites for the other. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

export class UsageWriter {
  readonly #find: StatementSync
  readonly #addToAccount: StatementSync
  readonly #addToSite: StatementSync

  constructor(database: DatabaseSync) {
    const add = (table: string, owner: string): StatementSync =>
      database.prepare(
        `INSERT INTO ${table} (${owner}, month, events) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET events = events + excluded.events`,
      )
    this.#find = database.prepare('SELECT events FROM account_usage WHERE account = ? AND month = ?')
    this.#addToAccount = add('account_usage', 'account')
    this.#addToSite = add('site_usage', 'site')
  }

  /** What the account has recorded in a month, also in this transaction. */
  ofAccount(account: number, month: number): number {
    return Number(this.#find.get(account, month)?.events ?? 0)
  }

  add(account: number, site: number, month: number, events: number): void {
    this.#addToAccount.run(account, month, events)
    this.#addToSite.run(site, month, events)
  }
}
