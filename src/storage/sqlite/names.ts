/**
 * Turns the texts of events into the ids of their rows, and makes rows for new texts. Ids are remembered; those that were learned in a
 * batch are forgotten when it is rolled back, since the next text would otherwise get the id of a row that does not exist.
 */
import { hash } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { sources } from '../../domain/event.ts'
import type { PackedReader, TextField } from './event-fields.ts'

/** Names of bots, assistants and conversions that one site may have: they are read as a whole for every answer. */
export const subjectsPerSiteMax = 10_000

/** More ids than this, of all sites together, are not kept in memory. */
const rememberedMax = 300_000

/** The site has `subjectsPerSiteMax` names, and an event brings another. */
export class TooManyNames extends Error {}

type IdBySiteAndText = Map<string, number>

/** Finds a long text without an index that holds it a second time: the first 48 bits of its SHA-256. */
export const textHash = (text: string): number =>
  Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16)

export class Names {
  readonly #known: IdBySiteAndText = new Map()
  /** Keys of `#known` that the current batch has added. */
  #learned: string[] = []
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(database: DatabaseSync) {
    this.#statements = prepareStatements(database)
  }

  /** What was learned is committed, or on its way to be. */
  keep(): void {
    this.#learned = []
    if (this.#known.size > rememberedMax) this.#known.clear()
  }

  /** To be called after a rollback of the batch. */
  forgetLearned(): void {
    for (const key of this.#learned) this.#known.delete(key)
    this.#learned = []
  }

  /** To be called after a rollback of the whole transaction. */
  forgetAll(): void {
    this.#known.clear()
    this.#learned = []
  }

  /** Throws TooManyNames. */
  subject(site: number, type: number, name: string, company: string): number {
    const key = `s${site} ${type} ${name.length} ${name}${company}`
    const known = this.#known.get(key) ?? this.findSubject(site, type, name, company)
    if (known !== undefined) return known
    const { countSubjects, addSubject } = this.#statements
    if (Number(countSubjects.get(site)?.count) >= subjectsPerSiteMax) throw new TooManyNames()
    return this.#learn(key, addSubject.run(site, type, name, company).lastInsertRowid)
  }

  /** Undefined when there is no such row. */
  findSubject(site: number, type: number, name: string, company: string): number | undefined {
    const key = `s${site} ${type} ${name.length} ${name}${company}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const row = this.#statements.findSubject.get(site, type, name, company)
    return row && this.#learn(key, row.id as number)
  }

  path(site: number, text: string): number {
    return this.findPath(site, text) ?? this.#add('p', this.#statements.addPath, site, text)
  }

  findPath(site: number, text: string): number | undefined {
    return this.#find('p', this.#statements.findPath, site, text)
  }

  agent(site: number, text: string): number {
    const { findAgent, addAgent } = this.#statements
    return this.#find('a', findAgent, site, text) ?? this.#add('a', addAgent, site, text)
  }

  /** The row of how the reader's current event came. */
  origin(site: number, event: PackedReader): number {
    const key = `o${site} ${event.number('source')} ${originTexts.map(field => (event.place(field) === null ? '- ' : lengthAndText(event.text(field)))).join('')}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const values = [
      site,
      sources[event.number('source')!]!,
      event.place('agent') === null ? 0 : this.agent(site, event.text('agent')),
      event.textOrEmpty('referrerHost'),
      event.textOrEmpty('rule'),
      event.textOrEmpty('catalogue'),
      event.textOrEmpty('assistant'),
      event.place('landing') === null ? 0 : this.path(site, event.text('landing')),
    ]
    const { findOrigin, addOrigin } = this.#statements
    const row = findOrigin.get(...values)
    return this.#learn(key, (row?.id as number | undefined) ?? addOrigin.run(...values).lastInsertRowid)
  }

  /** 0 stands for what is not known. */
  judgement(status: number, verdict: number, reason: number, evidence: number, robots: number): number {
    const key = `j${status} ${verdict} ${reason} ${evidence} ${robots}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const { findJudgement, addJudgement } = this.#statements
    const row = findJudgement.get(status, verdict, reason, evidence, robots)
    const id =
      (row?.id as number | undefined) ??
      addJudgement.run(status, verdict, reason, evidence, robots).lastInsertRowid
    return this.#learn(key, id)
  }

  #find(kind: string, find: StatementSync, site: number, text: string): number | undefined {
    const key = `${kind}${site} ${text}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const row = find.get(site, textHash(text), text)
    return row && this.#learn(key, row.id as number)
  }

  #add(kind: string, add: StatementSync, site: number, text: string): number {
    return this.#learn(`${kind}${site} ${text}`, add.run(site, textHash(text), text).lastInsertRowid)
  }

  #learn(key: string, id: number | bigint): number {
    this.#known.set(key, Number(id))
    this.#learned.push(key)
    return Number(id)
  }
}

const originTexts = [
  'agent',
  'referrerHost',
  'rule',
  'catalogue',
  'assistant',
  'landing',
] as const satisfies TextField[]

/** Texts in a row that cannot be taken for other texts in a row. */
const lengthAndText = (text: string): string => `${text.length} ${text}`

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
    findPath: findText('path'),
    addPath: addText('path'),
    findAgent: findText('agent'),
    addAgent: addText('agent'),
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
