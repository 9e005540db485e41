/** Groups and filters the counts of a site. It reads the smallest table that has every column of the query. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { dayMs } from '../../domain/date-range.ts'
import { type EventType, eventTypes } from '../../domain/event.ts'
import { addDecimals, fromDecimal, toDecimal } from '../../domain/money.ts'
import type { Breakdown, BreakdownQuery, BreakdownRow, Dimension, EventFilter } from '../event-store.ts'
import { textHash } from './names.ts'
import type { Subjects } from './subjects.ts'

type Fact = 'name' | 'page' | 'country'

/** A table that counts can be read from. */
interface Source {
  readonly from: string
  readonly facts: readonly Fact[]
  readonly columns: Readonly<Record<Dimension, string>>
  /** Counts of the three types, then the two parts of the value. */
  readonly counts: readonly string[]
  readonly range: string
}

const columns = { name: 't.subject', page: 't.path', country: 't.country', day: 't.day' }
const countsBySubject = eventTypes.map((_, type) => `sum(CASE s.type WHEN ${type} THEN t.count ELSE 0 END)`)
const valueParts = ['total(t.value)', 'total(t.value_billionths)']
const days = 't.day BETWEEN ? AND ?'

/** In order of size, the smallest first. */
const tables: readonly Source[] = [
  {
    from: 'by_day t JOIN subject s ON s.id = t.subject',
    facts: ['name'],
    columns,
    counts: [...countsBySubject, ...valueParts],
    range: days,
  },
  {
    from: 'by_country t JOIN subject s ON s.id = t.subject',
    facts: ['name', 'country'],
    columns,
    counts: [...countsBySubject, ...valueParts],
    range: days,
  },
  {
    from: 'event t',
    facts: ['name', 'page', 'country'],
    columns: { ...columns, day: `t.at / ${dayMs}` },
    counts: [...eventTypes.map((_, type) => `sum(t.type = ${type})`), ...valueParts],
    range: `t.at BETWEEN ? * ${dayMs} AND ? * ${dayMs} + ${dayMs - 1}`,
  },
]

interface Conditions {
  readonly conditions: readonly string[]
  readonly values: readonly SQLInputValue[]
}

interface Question {
  readonly table: Source
  readonly where: Conditions
  readonly values: readonly SQLInputValue[]
  readonly orderBy: EventType | null
}

const nothing: Breakdown = { rows: [], rowCount: 0 }

export class BreakdownReader {
  readonly #reader: DatabaseSync
  readonly #subjects: Subjects
  readonly #findPath: StatementSync
  readonly #pathText: StatementSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(reader: DatabaseSync, subjects: Subjects) {
    this.#reader = reader
    this.#subjects = subjects
    this.#findPath = reader.prepare('SELECT id FROM path WHERE site = ? AND hash = ? AND text = ?')
    this.#pathText = reader.prepare('SELECT text FROM path WHERE id = ?')
  }

  read(site: number, { range, filter, dimensions, orderBy, limit }: BreakdownQuery): Breakdown {
    const table = tables.find(({ facts }) => factsOf(dimensions, filter).every(fact => facts.includes(fact)))!
    const where = this.#conditions(site, filter)
    if (!where) return nothing
    const question = { table, where, values: [site, range.start, range.end, ...where.values], orderBy }
    // Rows with the same name can have different companies. They are merged first, and limited and counted after that.
    const isByName = dimensions.includes('name')
    const groups = this.#group(question, dimensions, isByName ? null : limit)
    const all = groups.map(row => this.#toRow(dimensions, row))
    const rows = isByName ? mergeRows(all, orderBy) : all
    return {
      rows: rows.slice(0, limit ?? undefined),
      rowCount: isByName ? rows.length : Number(groups[0]?.at(-1) ?? 0),
    }
  }

  /** Each row has the values of its dimensions, the counts of the three types, the two parts of the value, and the number of rows. */
  #group(
    { table, where, values, orderBy }: Question,
    dimensions: readonly Dimension[],
    limit: number | null,
  ) {
    const groups = dimensions.map(dimension => table.columns[dimension])
    const selected = [
      ...groups.map((column, i) => `${column} AS g${i}`),
      ...table.counts.map((count, i) => `${count} AS c${i}`),
    ]
    const conditions = ['t.site = ?', table.range, ...where.conditions]
    const weight = orderBy === null ? 'c0 + c1 + c2' : `c${eventTypes.indexOf(orderBy)}`
    const order = [`${weight} DESC`, ...groups.map((_, i) => `g${i}`)]
    const sql = `SELECT *, count(*) OVER () FROM (
        SELECT ${selected.join(', ')} FROM ${table.from} WHERE ${conditions.join(' AND ')}
        ${groups.length > 0 ? `GROUP BY ${groups.map((_, i) => i + 1).join(', ')}` : ''}
      ) WHERE ${weight} > 0 ORDER BY ${order.join(', ')} LIMIT ?`
    return this.#statement(sql).all(...values, limit ?? -1) as unknown as (number | string)[][]
  }

  /** Prepared statements are kept. Their number is bounded, because values are bound and only the shape of a query varies. */
  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#reader.prepare(sql)
      statement.setReturnArrays(true)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  /** Null when nothing can match because the site has no such name or page. */
  #conditions(site: number, { names, path, country }: EventFilter): Conditions | null {
    const conditions: string[] = []
    const values: SQLInputValue[] = []
    if (names) {
      const ids = this.#subjects.idsOf(site, names)
      if (ids.length === 0) return null
      conditions.push('t.subject IN (SELECT value FROM json_each(?))')
      values.push(JSON.stringify(ids))
    }
    if (path !== null) {
      const row = this.#findPath.get(site, textHash(path), path)
      if (!row) return null
      conditions.push('t.path = ?')
      values.push(Number(row.id))
    }
    if (country !== null) {
      conditions.push('t.country = ?')
      values.push(country)
    }
    return { conditions, values }
  }

  #toRow(dimensions: readonly Dimension[], row: readonly (number | string)[]): BreakdownRow {
    const counts = row.slice(dimensions.length).map(Number)
    const [bot, referral, conversion, whole, billionths] = counts as [number, number, number, number, number]
    const value = fromDecimal({ whole, billionths })
    const keys = dimensions.map((dimension, i) => this.#key(dimension, row[i]!))
    return Object.assign({ bot, referral, conversion, value }, ...keys)
  }

  #key(dimension: Dimension, value: number | string): Partial<BreakdownRow> {
    switch (dimension) {
      case 'name':
        return { subject: this.#subjects.of(Number(value)) }
      case 'page':
        return { page: String(this.#pathText.get(value)?.text) }
      case 'country':
        return { country: String(value) }
      case 'day':
        return { day: Number(value) }
    }
  }
}

/** Merges rows that differ only in the company. Sorted by count, descending. */
function mergeRows(rows: readonly BreakdownRow[], orderBy: EventType | null): BreakdownRow[] {
  const merged = new Map<string, BreakdownRow>()
  for (const row of rows) {
    const { subject, page, country, day } = row
    const key = JSON.stringify([subject!.type, subject!.name, page, country, day])
    const other = merged.get(key)
    merged.set(key, other ? { ...other, ...sumOf(other, row) } : row)
  }
  const weight = (row: BreakdownRow): number =>
    orderBy === null ? row.bot + row.referral + row.conversion : row[orderBy]
  return [...merged.values()].sort((a, b) => weight(b) - weight(a))
}

const sumOf = (a: BreakdownRow, b: BreakdownRow) => ({
  bot: a.bot + b.bot,
  referral: a.referral + b.referral,
  conversion: a.conversion + b.conversion,
  value: fromDecimal(addDecimals(toDecimal(a.value), toDecimal(b.value))),
})

function factsOf(dimensions: readonly Dimension[], { names, path, country }: EventFilter): Fact[] {
  const isAsked: Readonly<Record<Fact, boolean>> = {
    name: names !== null || dimensions.includes('name'),
    page: path !== null || dimensions.includes('page'),
    country: country !== null || dimensions.includes('country'),
  }
  return (['name', 'page', 'country'] as const).filter(fact => isAsked[fact])
}
