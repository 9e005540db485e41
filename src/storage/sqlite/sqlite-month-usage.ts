/** What accounts have recorded in their months: remembered as long as no other process writes, and added to the table once a transaction. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Beyond so many the memory starts again empty. */
const rememberedMax = 100_000

export interface MonthOfAccount {
  readonly account: number
  readonly month: number
  used: number
  /** Events of this transaction, by site. */
  readonly added: Map<number, number>
}

export class MonthUsage {
  readonly #used = new Map<number, MonthOfAccount>()
  readonly #changed = new Set<MonthOfAccount>()
  readonly #read: StatementSync
  readonly #add: StatementSync

  constructor(database: DatabaseSync) {
    this.#read = database.prepare('SELECT sum(events) AS used FROM usage WHERE account = ? AND month = ?')
    this.#add = database.prepare(
      `INSERT INTO usage (account, month, site, events) VALUES (?, ?, ?, ?)
       ON CONFLICT (account, month, site) DO UPDATE SET events = events + excluded.events`,
    )
  }

  of(account: number, month: number): MonthOfAccount {
    const key = account * monthsMax + month
    let usage = this.#used.get(key)
    if (!usage) {
      const used = Number(this.#read.get(account, month)?.used ?? 0)
      usage = { account, month, used, added: new Map() }
      this.#used.set(key, usage)
    }
    return usage
  }

  add(usage: MonthOfAccount, site: number, events: number): void {
    usage.used += events
    usage.added.set(site, (usage.added.get(site) ?? 0) + events)
    this.#changed.add(usage)
  }

  /** To be called right before the commit. */
  flush(): void {
    for (const { account, month, added } of this.#changed) {
      for (const [site, events] of added) this.#add.run(account, month, site, events)
      added.clear()
    }
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
