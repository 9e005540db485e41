/**
 * Turns the texts of events into the ids of their rows, and adds rows for new texts. Ids are remembered. After a rollback, the ids that the
 * batch added are forgotten, because their rows no longer exist.
 */
import { hash } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { sources } from '../../domain/event.ts'
import type { PackedReader } from './event-fields.ts'

/** The most names of bots, assistants and conversions that one site may have. Reports read all of them at once. */
export const subjectsPerSiteMax = 10_000

/** The most ids kept in memory for all sites together. */
const rememberedMax = 300_000

/** The site has `subjectsPerSiteMax` names, and an event has a new one. */
export class TooManyNames extends Error {}

/** Ids by text, of one kind and site. */
type Ids = Map<string, number>

/** The first 48 bits of the SHA-256 of a text. An index on this number takes less space than an index on long texts. */
export const textHash = (text: string): number =>
  Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16)

export class Names {
  readonly #known = new Map<string, Ids>()
  #remembered = 0
  /** The entries that the current batch has added to `#known`. */
  #learned: { readonly ids: Ids; readonly text: string }[] = []
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(database: DatabaseSync) {
    this.#statements = prepareStatements(database)
  }

  /** Call this right before the commit. */
  keep(): void {
    this.#learned = []
    if (this.#remembered > rememberedMax) this.forgetAll()
  }

  /** Call this after a rollback of the batch. */
  forgetLearned(): void {
    for (const { ids, text } of this.#learned) ids.delete(text)
    this.#learned = []
  }

  /** Call this after a rollback of the whole transaction. */
  forgetAll(): void {
    this.#known.clear()
    this.#remembered = 0
    this.#learned = []
  }

  /** Throws TooManyNames. */
  subject(site: number, type: number, name: string, company: string): number {
    const known = this.findSubject(site, type, name, company)
    if (known !== undefined) return known
    const { countSubjects, addSubject } = this.#statements
    if (Number(countSubjects.get(site)?.count) >= subjectsPerSiteMax) throw new TooManyNames()
    const { lastInsertRowid } = addSubject.run(site, type, name, company)
    return this.#learn(this.#idsOf('subject', site), subjectText(type, name, company), lastInsertRowid)
  }

  /** Undefined when there is no such row. */
  findSubject(site: number, type: number, name: string, company: string): number | undefined {
    const ids = this.#idsOf('subject', site)
    const text = subjectText(type, name, company)
    const known = ids.get(text)
    if (known !== undefined) return known
    const row = this.#statements.findSubject.get(site, type, name, company)
    return row && this.#learn(ids, text, row.id as number)
  }

  path(site: number, text: string): number {
    return this.findPath(site, text) ?? this.#add('path', site, text)
  }

  findPath(site: number, text: string): number | undefined {
    return this.#find('path', site, text)
  }

  agent(site: number, text: string): number {
    return this.#find('agent', site, text) ?? this.#add('agent', site, text)
  }

  /** The id of the origin of the reader's current event. */
  origin(site: number, event: PackedReader): number {
    const source = event.number('source')!
    const agent = event.place('agent') === null ? 0 : this.agent(site, event.text('agent'))
    const landing = event.place('landing') === null ? 0 : this.path(site, event.text('landing'))
    const texts = [
      event.textOrEmpty('referrerHost'),
      event.textOrEmpty('rule'),
      event.textOrEmpty('catalogue'),
      event.textOrEmpty('assistant'),
    ]
    const ids = this.#idsOf('origin', site)
    // The length before each text keeps different texts from giving the same key.
    const key = `${source} ${agent} ${landing} ${texts.map(text => `${text.length} ${text}`).join('')}`
    const known = ids.get(key)
    if (known !== undefined) return known
    const values = [site, sources[source]!, agent, ...texts, landing]
    const { findOrigin, addOrigin } = this.#statements
    const row = findOrigin.get(...values)
    return this.#learn(ids, key, (row?.id as number | undefined) ?? addOrigin.run(...values).lastInsertRowid)
  }

  /** The id of a judgement. 0 stands for "not known". */
  judgement(status: number, verdict: number, reason: number, evidence: number, robots: number): number {
    const ids = this.#idsOf('judgement', 0)
    const key = `${status} ${verdict} ${reason} ${evidence} ${robots}`
    const known = ids.get(key)
    if (known !== undefined) return known
    const { findJudgement, addJudgement } = this.#statements
    const facts = [status, verdict, reason, evidence, robots]
    const row = findJudgement.get(...facts)
    return this.#learn(
      ids,
      key,
      (row?.id as number | undefined) ?? addJudgement.run(...facts).lastInsertRowid,
    )
  }

  #idsOf(kind: string, site: number): Ids {
    const key = `${kind} ${site}`
    let ids = this.#known.get(key)
    if (!ids) {
      ids = new Map()
      this.#known.set(key, ids)
    }
    return ids
  }

  #find(kind: 'path' | 'agent', site: number, text: string): number | undefined {
    const ids = this.#idsOf(kind, site)
    const known = ids.get(text)
    if (known !== undefined) return known
    const row = this.#statements.find[kind].get(site, textHash(text), text)
    return row && this.#learn(ids, text, row.id as number)
  }

  #add(kind: 'path' | 'agent', site: number, text: string): number {
    const { lastInsertRowid } = this.#statements.add[kind].run(site, textHash(text), text)
    return this.#learn(this.#idsOf(kind, site), text, lastInsertRowid)
  }

  #learn(ids: Ids, text: string, id: number | bigint): number {
    ids.set(text, Number(id))
    this.#remembered++
    this.#learned.push({ ids, text })
    return Number(id)
  }
}

const subjectText = (type: number, name: string, company: string): string =>
  `${type} ${name.length} ${name}${company}`

function prepareStatements(database: DatabaseSync) {
  const prepare = (sql: string): StatementSync => database.prepare(sql)
  const findText = (table: string): StatementSync =>
    prepare(`SELECT id FROM ${table} WHERE site = ? AND hash = ? AND text = ?`)
  const addText = (table: string): StatementSync =>
    prepare(`INSERT INTO ${table} (site, hash, text) VALUES (?, ?, ?)`)
  return {
    findSubject: prepare('SELECT id FROM subject WHERE site = ? AND type = ? AND name = ? AND company = ?'),
    addSubject: prepare('INSERT INTO subject (site, type, name, company) VALUES (?, ?, ?, ?)'),
    countSubjects: prepare('SELECT count(*) AS count FROM subject WHERE site = ?'),
    find: { path: findText('path'), agent: findText('agent') },
    add: { path: addText('path'), agent: addText('agent') },
    findOrigin: prepare(
      `SELECT id FROM origin WHERE site = ? AND source = ? AND agent = ? AND referrer_host = ? AND rule = ? AND catalogue = ?
       AND assistant = ? AND landing = ?`,
    ),
    addOrigin: prepare(
      `INSERT INTO origin (site, source, agent, referrer_host, rule, catalogue, assistant, landing) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    findJudgement: prepare(
      'SELECT id FROM judgement WHERE status = ? AND verdict = ? AND reason = ? AND evidence = ? AND robots = ?',
    ),
    addJudgement: prepare(
      'INSERT INTO judgement (status, verdict, reason, evidence, robots) VALUES (?, ?, ?, ?, ?)',
    ),
  }
}
