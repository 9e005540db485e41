/** The writer's side of the dictionaries: finds or makes the ids of texts, subjects and origins, and remembers them. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { originFields, type PackedEvents, subjectFields } from './sqlite-packed-events.ts'

/** Beyond this the memory of ids starts again empty; the tables stay the truth. */
const rememberedMax = 500_000

/** The same for subjects by origin. */
const subjectsMax = 200_000

/** A site's names are bounded, since the roll-up of a day holds every name seen on it. */
export const subjectsPerSiteMax = 10_000

export class TooManyNames extends Error {}

export type Subject = readonly [type: number, name: string, company: string]

/** Ids by site and key. */
type Memory = Map<number, Map<string, number>>

const subjectKey = ([type, name, company]: Subject): string => `s${type}${name.length}:${name}${company}`

export class SqliteDictionary {
  readonly #textIds: Memory = new Map()
  /** Of subjects and origins. */
  readonly #ids: Memory = new Map()
  #remembered = 0
  readonly #subjectsByOrigin = new Map<number, number>()
  readonly #findText: StatementSync
  readonly #addText: StatementSync
  readonly #findSubject: StatementSync
  readonly #addSubject: StatementSync
  readonly #countSubjects: StatementSync
  readonly #findOrigin: StatementSync
  readonly #addOrigin: StatementSync
  readonly #subjectOfOrigin: StatementSync

  constructor(database: DatabaseSync) {
    const origin =
      'site, subject, arrival, status, user_agent, referrer_host, rule, catalogue_version, source, landing'
    const places = Array(originFields + 1).fill('?')
    this.#findText = database.prepare('SELECT id FROM text WHERE site = ? AND value = ?')
    this.#addText = database.prepare('INSERT INTO text (site, value) VALUES (?, ?)')
    this.#findSubject = database.prepare(
      'SELECT id FROM subject WHERE site = ? AND type = ? AND name = ? AND company = ?',
    )
    this.#addSubject = database.prepare('INSERT INTO subject (site, type, name, company) VALUES (?, ?, ?, ?)')
    this.#countSubjects = database.prepare('SELECT count(*) AS count FROM subject WHERE site = ?')
    this.#findOrigin = database.prepare(`SELECT id FROM origin WHERE (${origin}) = (${places})`)
    this.#subjectOfOrigin = database.prepare('SELECT subject FROM origin WHERE id = ?')
    this.#addOrigin = database.prepare(`INSERT INTO origin (${origin}) VALUES (${places})`)
  }

  /** Ids for the lists of a batch: `texts` by index (0 for null), `subjects` and `origins` by index. Throws TooManyNames. */
  resolve(
    site: number,
    events: PackedEvents,
  ): { texts: Float64Array; subjects: Float64Array; origins: Float64Array } {
    const textIds = new Float64Array(events.texts.length + 1)
    const subjects = this.#subjects(site, events)
    const origins = new Float64Array(events.origins.length / originFields)
    for (let i = 0; i < origins.length; i++) {
      const first = i * originFields
      const parts = [
        subjects[events.origins[first]!]!,
        events.origins[first + 1]!,
        events.origins[first + 2]!,
      ]
      for (let at = first + parts.length; at < first + originFields; at++)
        parts.push(this.#textOf(site, events, textIds, events.origins[at]!))
      origins[i] = this.#origin(site, parts)
    }
    for (let i = 0; i < events.count; i++) this.#textOf(site, events, textIds, events.path[i]!)
    return { texts: textIds, subjects, origins }
  }

  /** Id of the text at an index of a batch; `textIds` keeps those that were asked for. */
  #textOf(site: number, { texts }: PackedEvents, textIds: Float64Array, index: number): number {
    if (index !== 0 && textIds[index] === 0) textIds[index] = this.textId(site, texts[index - 1]!)
    return textIds[index]!
  }

  /** Id of an origin that was remembered under this text, else undefined. */
  originUnder(site: number, text: string): number | undefined {
    return this.#ids.get(site)?.get(text)
  }

  /** The text must begin as no key of subjects and origins does. */
  rememberOrigin(site: number, text: string, origin: number): void {
    this.#remember(this.#ids, site, text, origin)
  }

  /** Id of a text that stands in the dictionary already, else undefined. */
  findText(site: number, value: string): number | undefined {
    return this.#known(this.#textIds, site, value, () => this.#findText.get(site, value)?.id)
  }

  /** Id of a subject that stands in the dictionary already, else undefined. */
  findSubject(site: number, subject: Subject): number | undefined {
    return this.#known(
      this.#ids,
      site,
      subjectKey(subject),
      () => this.#findSubject.get(site, ...subject)?.id,
    )
  }

  /** Id of the subject of an origin that stands in the dictionary. */
  subjectOf(origin: number): number {
    let subject = this.#subjectsByOrigin.get(origin)
    if (subject === undefined) {
      subject = Number(this.#subjectOfOrigin.get(origin)!.subject)
      if (this.#subjectsByOrigin.size >= subjectsMax) this.#subjectsByOrigin.clear()
      this.#subjectsByOrigin.set(origin, subject)
    }
    return subject
  }

  /** To be called when a transaction was rolled back: ids made in it are void. */
  forget(): void {
    this.#subjectsByOrigin.clear()
    this.#textIds.clear()
    this.#ids.clear()
    this.#remembered = 0
  }

  /** Id of a text, which is added where it is missing. */
  textId(site: number, value: string): number {
    return (
      this.findText(site, value) ??
      this.#remember(this.#textIds, site, value, this.#addText.run(site, value).lastInsertRowid)
    )
  }

  /** Adds either all new subjects of a batch or, when they are too many, none. */
  #subjects(site: number, events: PackedEvents): Float64Array {
    const ids = new Float64Array(events.subjects.length / subjectFields)
    const added: { at: number; subject: Subject }[] = []
    for (let at = 0; at < ids.length; at++) {
      const first = at * subjectFields
      const subject: Subject = [
        events.subjects[first]!,
        events.texts[events.subjects[first + 1]! - 1]!,
        events.texts[events.subjects[first + 2]! - 1]!,
      ]
      const id = this.findSubject(site, subject)
      if (id === undefined) added.push({ at, subject })
      else ids[at] = id
    }
    if (added.length === 0) return ids
    const count = Number(this.#countSubjects.get(site)?.count)
    if (count + added.length > subjectsPerSiteMax) throw new TooManyNames()
    for (const { at, subject } of added) {
      // Looked for again, since texts that are no valid Unicode can become equal where they are stored.
      ids[at] =
        this.findSubject(site, subject) ??
        this.#remember(
          this.#ids,
          site,
          subjectKey(subject),
          this.#addSubject.run(site, ...subject).lastInsertRowid,
        )
    }
    return ids
  }

  #origin(site: number, parts: number[]): number {
    const key = `o${parts.join()}`
    return (
      this.#known(this.#ids, site, key, () => this.#findOrigin.get(site, ...parts)?.id) ??
      this.#remember(this.#ids, site, key, this.#addOrigin.run(site, ...parts).lastInsertRowid)
    )
  }

  #known(memory: Memory, site: number, key: string, find: () => unknown): number | undefined {
    const remembered = memory.get(site)?.get(key)
    if (remembered !== undefined) return remembered
    const id = find()
    return id === undefined ? undefined : this.#remember(memory, site, key, Number(id))
  }

  #remember(memory: Memory, site: number, key: string, id: number | bigint): number {
    if (this.#remembered++ >= rememberedMax) this.forget()
    let ids = memory.get(site)
    if (ids === undefined) {
      ids = new Map()
      memory.set(site, ids)
    }
    ids.set(key, Number(id))
    return Number(id)
  }
}
