/** The writer's side of the dictionaries: finds or makes the ids of texts, subjects and origins, and remembers them. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { originFields, type PackedEvents, subjectFields } from './sqlite-packed-events.ts'

/** Beyond this the memory of ids starts again empty; the tables stay the truth. */
const rememberedMax = 500_000

/** A site's names are bounded, since the roll-up of a day holds every name seen on it. */
export const subjectsPerSiteMax = 10_000

export class TooManyNames extends Error {}

export class SqliteDictionary {
  readonly #ids = new Map<number, Map<string, number>>()
  #remembered = 0
  readonly #findText: StatementSync
  readonly #addText: StatementSync
  readonly #findSubject: StatementSync
  readonly #addSubject: StatementSync
  readonly #countSubjects: StatementSync
  readonly #findOrigin: StatementSync
  readonly #addOrigin: StatementSync

  constructor(database: DatabaseSync) {
    const origin = 'site, subject, arrival, status, user_agent, referrer_host, rule, catalogue_version'
    this.#findText = database.prepare('SELECT id FROM text WHERE site = ? AND value = ?')
    this.#addText = database.prepare('INSERT INTO text (site, value) VALUES (?, ?)')
    this.#findSubject = database.prepare(
      'SELECT id FROM subject WHERE site = ? AND type = ? AND name = ? AND company = ?',
    )
    this.#addSubject = database.prepare('INSERT INTO subject (site, type, name, company) VALUES (?, ?, ?, ?)')
    this.#countSubjects = database.prepare('SELECT count(*) AS count FROM subject WHERE site = ?')
    this.#findOrigin = database.prepare(`SELECT id FROM origin WHERE (${origin}) = (?, ?, ?, ?, ?, ?, ?, ?)`)
    this.#addOrigin = database.prepare(`INSERT INTO origin (${origin}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
  }

  /** Ids for the lists of a batch: `texts` by index (0 for null), `subjects` and `origins` by index. Throws TooManyNames. */
  resolve(
    site: number,
    events: PackedEvents,
  ): { texts: Float64Array; subjects: Float64Array; origins: Float64Array } {
    const textIds = new Float64Array(events.texts.length + 1)
    const text = (index: number): number => {
      if (index !== 0 && textIds[index] === 0) textIds[index] = this.#text(site, events.texts[index - 1]!)
      return textIds[index]!
    }
    const subjects = new Float64Array(events.subjects.length / subjectFields)
    for (let i = 0; i < subjects.length; i++) {
      const [type, name, company] = events.subjects.subarray(i * subjectFields)
      subjects[i] = this.#subject(site, type!, events.texts[name! - 1]!, events.texts[company! - 1]!)
    }
    const origins = new Float64Array(events.origins.length / originFields)
    for (let i = 0; i < origins.length; i++) {
      const [subject, arrival, status, agent, host, rule, version] = events.origins.subarray(i * originFields)
      origins[i] = this.#origin(site, [
        subjects[subject!]!,
        arrival!,
        status!,
        text(agent!),
        text(host!),
        text(rule!),
        text(version!),
      ])
    }
    for (const index of events.path) text(index)
    return { texts: textIds, subjects, origins }
  }

  /** To be called when a transaction was rolled back: ids made in it are void. */
  forget(): void {
    this.#ids.clear()
    this.#remembered = 0
  }

  #text(site: number, value: string): number {
    return this.#remember(
      site,
      `t${value}`,
      () => this.#findText.get(site, value)?.id,
      () => this.#addText.run(site, value).lastInsertRowid,
    )
  }

  #subject(site: number, type: number, name: string, company: string): number {
    return this.#remember(
      site,
      `s${type}${name}\n${company}`,
      () => this.#findSubject.get(site, type, name, company)?.id,
      () => {
        if (Number(this.#countSubjects.get(site)?.count) >= subjectsPerSiteMax) throw new TooManyNames()
        return this.#addSubject.run(site, type, name, company).lastInsertRowid
      },
    )
  }

  #origin(site: number, parts: number[]): number {
    return this.#remember(
      site,
      `o${parts.join()}`,
      () => this.#findOrigin.get(site, ...parts)?.id,
      () => this.#addOrigin.run(site, ...parts).lastInsertRowid,
    )
  }

  #remember(site: number, key: string, find: () => unknown, add: () => number | bigint): number {
    let ids = this.#ids.get(site)
    if (ids === undefined) {
      ids = new Map()
      this.#ids.set(site, ids)
    }
    let id = ids.get(key)
    if (id === undefined) {
      id = Number(find() ?? add())
      if (this.#remembered++ >= rememberedMax) {
        this.forget()
        ids = new Map()
        this.#ids.set(site, ids)
      }
      ids.set(key, id)
    }
    return id
  }
}
