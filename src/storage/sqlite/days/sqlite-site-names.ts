/** The names of a site's subjects, as its counts refer to them: by index, and in the order of answers. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { eventTypes } from '../../../domain/event.ts'
import { noNames, type Ranking, rankNames, type SiteName } from './sqlite-ranking.ts'

/** What a subject, and what its name, take in memory at the most, texts not counted. */
const subjectBytes = 12
const nameBytes = 150

/** So many places are looked at one by one. */
const nearMax = 8

const sharedNamesMax = 10_000

export class SiteNames {
  readonly #reader: SubjectReader
  readonly #site: number
  #names: readonly SiteName[] = []
  #ranking: Ranking = noNames
  /** Ids of subjects, ascending. */
  subjects = new Float64Array()
  /** By place in `subjects`: the index of the name. */
  indexes = new Uint32Array()
  bytes = 0

  constructor(reader: SubjectReader, site: number) {
    this.#reader = reader
    this.#site = site
  }

  get ranking(): Ranking {
    if (this.#ranking.names !== this.#names) this.#ranking = rankNames(this.#names)
    return this.#ranking
  }

  /** The place of a subject, mostly the one expected or little behind it; it is read where it is new. */
  placeOf(subject: number, expected: number): number {
    for (let place = expected; place < expected + nearMax; place++)
      if (this.subjects[place] === subject) return place
    if (!(subject <= this.subjects.at(-1)!)) this.#readNewer()
    const place = placeIn(this.subjects, subject)
    if (this.subjects[place] !== subject)
      throw new Error(`Site ${this.#site} counts subject ${subject}, which has no name.`)
    return place
  }

  /** Reads those that are new, where fewer subjects are known than these. */
  readUpTo(count: number): void {
    if (this.subjects.length < count) this.#readNewer()
  }

  /** Whether the first `count` subjects are known, and end with this one. */
  include(count: number, last: number): boolean {
    return count === 0 || this.subjects[count - 1] === last
  }

  /**
   * Ids rise for good, so the subjects not known are those with higher ones, and an index never changes its meaning. There is one a type
   * and name: where the company was reported differently, it shows the one reported last.
   */
  #readNewer(): void {
    const added = this.#reader.after(this.#site, this.subjects.at(-1) ?? 0)
    const names = [...this.#names]
    const indexes = new Map(names.map((name, index) => [name.type + name.name, index]))
    for (const { name } of added) {
      const text = name.type + name.name
      const index = indexes.get(text) ?? names.length
      if (index === names.length) this.bytes += nameBytes + 2 * (name.name.length + name.company.length)
      names[index] = name
      indexes.set(text, index)
    }
    this.#names = names
    this.bytes += added.length * subjectBytes
    const known = this.subjects.length
    const [subjects, indexOf] = [this.subjects, this.indexes]
    this.subjects = new Float64Array(known + added.length)
    this.subjects.set(subjects)
    this.indexes = new Uint32Array(known + added.length)
    this.indexes.set(indexOf)
    added.forEach(({ id, name }, i) => {
      this.subjects[known + i] = id
      this.indexes[known + i] = indexes.get(name.type + name.name)!
    })
  }
}

/** Reads subjects. Sites are visited by the same bots: one object serves all, which keeps what answers touch in the processor's cache. */
export class SubjectReader {
  readonly #subjects: StatementSync
  readonly #shared = new Map<string, SiteName>()
  #given = 0

  constructor(reader: DatabaseSync) {
    // The plus keeps SQLite from walking through the subjects of all sites.
    this.#subjects = reader.prepare(
      'SELECT id, type, name, company FROM subject WHERE site = ? AND +id > ? ORDER BY id',
    )
    this.#subjects.setReturnArrays(true)
  }

  /** Those of a site with a higher id than this, ascending. */
  after(site: number, subject: number): { readonly id: number; readonly name: SiteName }[] {
    const rows = this.#subjects.all(site, subject) as unknown as [number, number, string, string][]
    return rows.map(([id, type, name, company]) => ({ id, name: this.#sharedName(type, name, company) }))
  }

  #sharedName(type: number, name: string, company: string): SiteName {
    const key = `${type}${name.length} ${name}${company}`
    let shared = this.#shared.get(key)
    if (!shared) {
      shared = { type: eventTypes[type]!, name, company, number: this.#given++ }
      if (this.#shared.size >= sharedNamesMax) this.#shared.clear()
      this.#shared.set(key, shared)
    }
    return shared
  }
}

/** The place of a number among ascending ones, or where it would stand. */
function placeIn(ascending: Float64Array, number: number): number {
  let from = 0
  let to = ascending.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (ascending[middle]! < number) from = middle + 1
    else to = middle
  }
  return from
}
