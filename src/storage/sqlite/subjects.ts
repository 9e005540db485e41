/** Looks up subjects by id and remembers them. A row of the table subject never changes, and no id is used twice. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { eventTypes } from '../../domain/event.ts'
import { addDecimals, type DecimalSum } from '../../domain/money.ts'
import type { Subject } from '../event-store.ts'

/** The counts of one subject. */
export interface SubjectSum {
  readonly subject: number
  readonly count: number
  readonly value: DecimalSum
}

const addSums = (a: SubjectSum, b: SubjectSum): SubjectSum => ({
  subject: Math.max(a.subject, b.subject),
  count: a.count + b.count,
  value: addDecimals(a.value, b.value),
})

/** The most subjects remembered for all sites together. Beyond it, the memory is cleared. */
const rememberedMax = 200_000

export class Subjects {
  readonly #known = new Map<number, Subject>()
  readonly #find: StatementSync
  readonly #ofSite: StatementSync

  constructor(reader: DatabaseSync) {
    this.#find = reader.prepare('SELECT type, name, company FROM subject WHERE id = ?')
    this.#ofSite = reader.prepare('SELECT id, type, name FROM subject WHERE site = ?')
  }

  of(id: number): Subject {
    let subject = this.#known.get(id)
    if (!subject) {
      const row = this.#find.get(id)
      if (!row) throw new Error(`There is no subject ${id}.`)
      subject = { type: eventTypes[Number(row.type)]!, name: String(row.name), company: String(row.company) }
      if (this.#known.size >= rememberedMax) this.#known.clear()
      this.#known.set(id, subject)
    }
    return subject
  }

  /** Merges the sums of each type and name. If senders named different companies, the newest subject is kept. */
  mergeNames(sums: readonly SubjectSum[]): SubjectSum[] {
    const merged = new Map<string, SubjectSum>()
    for (const sum of sums) {
      const { type, name } = this.of(sum.subject)
      const key = `${type} ${name}`
      const other = merged.get(key)
      merged.set(key, other ? addSums(other, sum) : sum)
    }
    return [...merged.values()]
  }

  /** Ids of the site's subjects that have one of these types and names. */
  idsOf(site: number, names: readonly Pick<Subject, 'type' | 'name'>[]): number[] {
    const wanted = new Set(names.map(({ type, name }) => `${eventTypes.indexOf(type)} ${name}`))
    return this.#ofSite
      .all(site)
      .filter(row => wanted.has(`${row.type} ${row.name}`))
      .map(row => Number(row.id))
  }
}
