/** Counts the events of a month: by account for quotas, and by site for the list of sites. */
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

  /** Events that the account has recorded in a month, including this transaction. */
  ofAccount(account: number, month: number): number {
    return Number(this.#find.get(account, month)?.events ?? 0)
  }

  add(account: number, site: number, month: number, events: number): void {
    this.#addToAccount.run(account, month, events)
    this.#addToSite.run(site, month, events)
  }
}
