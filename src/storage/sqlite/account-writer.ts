/** The write side of accounts, sites and keys, inside a transaction that the writer thread begins and commits. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { PlanName } from '../../domain/plan.ts'
import type { LoginResult, NewAccount, NewDrain, NewKey, NewSite } from '../account-store.ts'

export class SqliteAccountWriter {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  addAccount({ id, email, plan, createdAt }: NewAccount): boolean {
    return this.#change(
      'INSERT INTO account (id, email, plan, created_at) VALUES (?, ?, ?, ?) ON CONFLICT (email) DO NOTHING',
      ...[id, email, plan, createdAt],
    )
  }

  setPlan(accountId: string, plan: PlanName): boolean {
    return this.#change('UPDATE account SET plan = ? WHERE id = ?', plan, accountId)
  }

  /** Returns the rows of the removed sites. */
  removeAccount(accountId: string): Record<string, unknown>[] {
    const sites = this.#database
      .prepare('SELECT * FROM site WHERE account_id = ? ORDER BY number')
      .all(accountId)
    this.#run('INSERT OR IGNORE INTO site_purge SELECT number FROM site WHERE account_id = ?', accountId)
    this.#run('DELETE FROM drain WHERE site_id IN (SELECT id FROM site WHERE account_id = ?)', accountId)
    this.#run('DELETE FROM site WHERE account_id = ?', accountId)
    this.#run("UPDATE api_key SET name = '', last_four = '' WHERE account_id = ?", accountId)
    this.#run('DELETE FROM login_session WHERE userId = ?', accountId)
    this.#run('DELETE FROM login_credential WHERE userId = ?', accountId)
    this.#run('DELETE FROM login_user WHERE id = ?', accountId)
    this.#change('DELETE FROM account WHERE id = ?', accountId)
    return sites
  }

  /** Of two simultaneous attempts, the unique index one_owner lets only the first succeed. */
  makeOwner(accountId: string): boolean {
    return this.#change(
      "UPDATE OR IGNORE account SET is_owner = 1, plan = 'pro' WHERE id = ? AND is_owner = 0",
      accountId,
    )
  }

  addSite({ id, accountId, domain, key, createdAt }: NewSite): boolean {
    return this.#change(
      `INSERT INTO site (id, account_id, domain, key, created_at)
       SELECT ?, id, ?, ?, ? FROM account WHERE id = ?`,
      ...[id, domain, key, createdAt, accountId],
    )
  }

  setDomain(id: string, domain: string): boolean {
    return this.#change('UPDATE site SET domain = ? WHERE id = ?', domain, id)
  }

  removeSite(id: string): boolean {
    this.#run('INSERT OR IGNORE INTO site_purge SELECT number FROM site WHERE id = ?', id)
    this.#run('DELETE FROM drain WHERE site_id = ?', id)
    return this.#change('DELETE FROM site WHERE id = ?', id)
  }

  sitePurged(site: number): void {
    this.#run('DELETE FROM site_purge WHERE site = ?', site)
  }

  addKey({ id, accountId, name, hash, lastFour, scopes, createdAt }: NewKey): boolean {
    return this.#change(
      `INSERT INTO api_key (id, account_id, name, hash, last_four, scopes, created_at)
       SELECT ?, id, ?, ?, ?, ?, ? FROM account WHERE id = ?`,
      ...[id, name, hash, lastFour, scopes.join(), createdAt, accountId],
    )
  }

  revokeKey(id: string, now: number): boolean {
    return this.#change('UPDATE api_key SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL', now, id)
  }

  /** The counter of account changes stays as it is, because drains are never remembered. */
  addDrain({ id, siteId, kind, secret, proof, createdAt }: NewDrain): boolean {
    return this.#run(
      `INSERT INTO drain (id, site_id, kind, secret, proof, created_at)
       SELECT ?, id, ?, ?, ?, ? FROM site WHERE id = ?`,
      ...[id, kind, secret, proof, createdAt, siteId],
    )
  }

  removeDrain(id: string): boolean {
    return this.#run('DELETE FROM drain WHERE id = ?', id)
  }

  /** The counter of account changes stays as it is, because no decision depends on the time of the last use. */
  touchKeys(lastUsed: ReadonlyMap<string, number>): void {
    const touch = 'UPDATE api_key SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?'
    for (const [id, time] of lastUsed) this.#run(touch, time, id)
  }

  /** A statement on the login tables (see LoginDatabase). */
  changeLogins(sql: string, values: readonly SQLInputValue[]): LoginResult {
    const statement = this.#database.prepare(sql)
    if (statement.columns().length > 0) {
      const rows = statement.all(...values)
      return { rows, changes: rows.length }
    }
    return { rows: [], changes: Number(statement.run(...values).changes) }
  }

  /** Runs a statement. If it changes a row, all processes forget the accounts that they remember. True when a row changed. */
  #change(sql: string, ...values: SQLInputValue[]): boolean {
    const changed = this.#run(sql, ...values)
    if (changed) this.#run("UPDATE counter SET value = value + 1 WHERE name = 'accounts'")
    return changed
  }

  #run(sql: string, ...values: SQLInputValue[]): boolean {
    return Number(this.#database.prepare(sql).run(...values).changes) > 0
  }
}
