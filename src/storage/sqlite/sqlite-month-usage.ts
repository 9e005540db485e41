/** What accounts have recorded in their months: remembered as long as no other process writes, and written down once a transaction. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Beyond so many the memory starts again empty. */
const rememberedMax = 100_000

export interface MonthOfAccount {
  readonly account: number
  readonly month: number
  used: number
}

export class MonthUsage {
  readonly #used = new Map<number, MonthOfAccount>()
  readonly #changed = new Set<MonthOfAccount>()
  readonly #read: StatementSync
  readonly #write: StatementSync

  constructor(database: DatabaseSync) {
    this.#read = database.prepare('SELECT events FROM account_usage WHERE account = ? AND month = ?')
    this.#write = database.prepare(
      'INSERT OR REPLACE INTO account_usage (account, month, events) VALUES (?, ?, ?)',
    )
  }

  of(account: number, month: number): MonthOfAccount {
    const key = account * monthsMax + month
    let usage = this.#used.get(key)
    if (!usage) {
      usage = { account, month, used: Number(this.#read.get(account, month)?.events ?? 0) }
      this.#used.set(key, usage)
    }
    return usage
  }

  add(usage: MonthOfAccount, events: number): void {
    usage.used += events
    this.#changed.add(usage)
  }

  /** To be called right before the commit. */
  flush(): void {
    for (const { account, month, used } of this.#changed) this.#write.run(account, month, used)
    this.#changed.clear()
    // Not before: until here it alone knows what this transaction has recorded.
    if (this.#used.size >= rememberedMax) this.#used.clear()
  }

  /** To be called when others have written, or after a rollback. */
  forget(): void {
    this.#used.clear()
    this.#changed.clear()
  }
}

const monthsMax = 2 ** 20
