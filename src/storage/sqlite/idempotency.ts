/** Remembers for 24 h which requests were recorded: API requests by their idempotency key, requests in deliveries by their names. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { dayMs } from '../../domain/date-range.ts'
import type { AppendOutcome, EventBatch } from '../event-store.ts'

type KeyedBatch = Pick<EventBatch, 'site' | 'now' | 'idempotency' | 'onceKeys'>

const idempotencyMs = dayMs

/** Never equal to an idempotency key, because those cannot contain a space. */
const onceKey = (key: string): string => `once ${key}`

export class KnownRequests {
  readonly #find: StatementSync
  readonly #remember: StatementSync
  readonly #forget: StatementSync

  constructor(database: DatabaseSync) {
    this.#find = database.prepare(
      'SELECT body_hash, response FROM idempotency WHERE site = ? AND key = ? AND created_at > ?',
    )
    this.#remember = database.prepare(
      'INSERT OR REPLACE INTO idempotency (site, key, body_hash, response, created_at) VALUES (?, ?, ?, ?, ?)',
    )
    this.#forget = database.prepare('DELETE FROM idempotency WHERE created_at <= ?')
  }

  /** The outcome of a batch that was recorded before, in whole or in part; null for a new one. */
  outcomeOf({ site, now, idempotency, onceKeys = [] }: KeyedBatch): AppendOutcome | null {
    if (idempotency) {
      const { key, bodyHash } = idempotency
      const seen = this.#find.get(site, key, now - idempotencyMs)
      if (seen && seen.body_hash !== bodyHash) return { outcome: 'idempotency-mismatch' }
      if (seen) return { outcome: 'replayed', response: String(seen.response) }
    }
    const keys = onceKeys.filter(key => this.#find.get(site, onceKey(key), now - idempotencyMs))
    return keys.length > 0 ? { outcome: 'known-keys', keys } : null
  }

  add({ site, now, idempotency, onceKeys = [] }: KeyedBatch): void {
    if (idempotency) {
      const { key, bodyHash, response } = idempotency
      this.#remember.run(site, key, bodyHash, response, now)
    }
    for (const key of onceKeys) this.#remember.run(site, onceKey(key), '', '', now)
  }

  forgetOld(now: number): void {
    this.#forget.run(now - idempotencyMs)
  }
}
