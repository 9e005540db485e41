/** Answers breakdowns from the roll-up of triples: reads the days of a range, and the texts of those pages that the answer shows. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type DateRange, lastDay } from '../../../domain/date-range.ts'
import { eventTypes } from '../../../domain/event.ts'
import type { FacetFilter, FacetName, FacetQuery, FacetReport } from '../../event-store.ts'
import { dayKey, dayOfKey } from '../days/sqlite-day.ts'
import type { Snapshot } from '../sqlite-snapshot.ts'
import { facetsBeside } from './sqlite-facet-beside.ts'
import { decodeFacets, FacetColumns } from './sqlite-facet-columns.ts'
import { type FacetCondition, type FacetNames, FacetSums, noPages, otherName } from './sqlite-facet-sums.ts'
import { facetCountOf, facetCountry, facetsPerDayMax, otherCountry, otherPath } from './sqlite-facets.ts'

/** Days that are added up before other requests get their turn. */
const daysPerTurn = 32

export class FacetReader {
  readonly #inSnapshot: Snapshot
  readonly #merged: StatementSync
  readonly #tails: StatementSync
  readonly #subjects: StatementSync
  readonly #pathId: StatementSync
  readonly #pathText: StatementSync
  readonly #extent: StatementSync
  readonly #columns = new FacetColumns()

  constructor(reader: DatabaseSync, inSnapshot: Snapshot) {
    this.#inSnapshot = inSnapshot
    this.#merged = reader.prepare('SELECT key, data FROM facet WHERE key BETWEEN ? AND ?')
    this.#tails = reader.prepare('SELECT key, data FROM facet_tail WHERE key BETWEEN ? AND ?')
    this.#subjects = reader.prepare('SELECT id, type, name, company FROM subject WHERE site = ? ORDER BY id')
    this.#pathId = reader.prepare('SELECT id FROM text WHERE site = ? AND value = ?')
    this.#extent = reader.prepare(
      'SELECT min(key) AS first, max(key) AS last FROM day WHERE key BETWEEN ? AND ?',
    )
    this.#pathText = reader.prepare('SELECT value FROM text WHERE id = ?')
  }

  async read(site: number, { range: asked, filter, pagesMax, pageOrder }: FacetQuery): Promise<FacetReport> {
    const range = this.#withEvents(site, asked)
    if (range === null) return nothing
    const sums = new FacetSums(range, this.#names(site), this.#condition(site, filter), pagesMax > 0)
    for (let start = range.start; start <= range.end; start += daysPerTurn) {
      if (start > range.start) await new Promise(resolve => setImmediate(resolve))
      const turn = { start, end: Math.min(range.end, start + daysPerTurn - 1) }
      // At one moment: a tail that is merged between two reads would count twice.
      this.#inSnapshot(() => this.#addDays(site, turn, sums))
    }
    return sums.report(pagesMax, pageOrder, id => String(this.#pathText.get(id)?.value ?? otherName))
  }

  extent = (site: number): DateRange | null => this.#withEvents(site, { start: 0, end: lastDay })

  /** The part of a range that has events: a century without any costs nothing. */
  #withEvents(site: number, range: DateRange): DateRange | null {
    const found = this.#extent.get(dayKey(site, range.start), dayKey(site, range.end))
    if (!found || found.first === null) return null
    return { start: dayOfKey(Number(found.first)), end: dayOfKey(Number(found.last)) }
  }

  #addDays(site: number, range: DateRange, sums: FacetSums): void {
    const bounds = [dayKey(site, range.start), dayKey(site, range.end)] as const
    const columns = this.#columns
    const tails = new Map<number, Uint8Array>()
    for (const row of this.#tails.iterate(...bounds)) tails.set(Number(row.key), row.data as Uint8Array)
    for (const row of this.#merged.iterate(...bounds)) {
      const key = Number(row.key)
      columns.read(row.data as Uint8Array)
      const tail = tails.get(key)
      sums.add(dayOfKey(key), columns)
      if (tail && columns.length + facetCountOf(tail) > facetsPerDayMax) {
        // Some of the tail may count as "other": only together can they tell.
        columns.readTable(facetsBeside(columns, decodeFacets(tail)))
        sums.add(dayOfKey(key), columns)
        tails.delete(key)
      }
    }
    for (const [key, tail] of tails) {
      columns.read(tail)
      sums.add(dayOfKey(key), columns)
    }
  }

  /** What the ids of subjects stand for; a name whose company was reported differently is one name, with the last company. */
  #names(site: number): FacetNames {
    const bySubject = new Map<number, number>()
    const names: FacetName[] = []
    const indexes = new Map<string, number>()
    for (const row of this.#subjects.iterate(site)) {
      const type = eventTypes[Number(row.type)]!
      const name = { type, name: String(row.name), company: String(row.company) }
      const text = `${type} ${name.name}`
      const index = indexes.get(text) ?? names.length
      indexes.set(text, index)
      names[index] = name
      bySubject.set(Number(row.id), index)
    }
    return { names, bySubject }
  }

  #condition(site: number, { names, path, country }: FacetFilter): FacetCondition {
    const wanted = names && new Set(names.map(({ type, name }) => `${type} ${name}`))
    return {
      name: ({ type, name }) => wanted === null || wanted.has(`${type} ${name}`),
      path: path === null ? null : this.#pathOf(site, path),
      country: country === null ? null : countryCode(country),
    }
  }

  #pathOf = (site: number, path: string): number =>
    path === otherName ? otherPath : Number(this.#pathId.get(site, path)?.id ?? -1)
}

const nothing: FacetReport = { names: [], countries: [], range: null, days: new Float64Array(0), ...noPages }

function countryCode(country: string): number {
  if (country === otherName) return otherCountry
  return /^[A-Z]{2}$/.test(country) ? facetCountry(country.charCodeAt(0) * 256 + country.charCodeAt(1)) : -1
}
