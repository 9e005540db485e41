/** Counts the statements that this thread prepares and runs on real databases: numbers that do not vary with the machine. */
import { DatabaseSync, StatementSync } from 'node:sqlite'

export interface StatementCounts {
  prepared: number
  /** The text of each statement that was run. */
  ran: string[]
  /** Rows that statements gave back. */
  rows: number
}

const counts: StatementCounts = { prepared: 0, ran: [], rows: 0 }

const { prepare } = DatabaseSync.prototype
DatabaseSync.prototype.prepare = function (sql, ...options) {
  counts.prepared++
  return prepare.call(this, sql, ...options)
}

for (const method of ['get', 'all', 'run'] as const) {
  const original = StatementSync.prototype[method] as (...values: unknown[]) => unknown
  StatementSync.prototype[method] = function (this: StatementSync, ...values: unknown[]) {
    counts.ran.push(this.sourceSQL)
    const result = original.apply(this, values)
    if (method === 'all') counts.rows += (result as unknown[]).length
    if (method === 'get' && result !== undefined) counts.rows++
    return result
  } as never
}

/** What an action of this thread costs. Other threads are not seen. */
export async function countDuring(action: () => unknown): Promise<StatementCounts> {
  Object.assign(counts, { prepared: 0, ran: [], rows: 0 })
  await action()
  return { ...counts }
}
