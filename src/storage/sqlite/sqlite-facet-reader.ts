/** Answers breakdowns: adds up the triples of a range, by name, page, country and day at once. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type DateRange, lastDay } from '../../domain/date-range.ts'
import { type EventType, eventTypes } from '../../domain/event.ts'
import { addDecimals, type DecimalSum, fromDecimal, zeroSum } from '../../domain/money.ts'
import type { FacetCount, FacetFilter, FacetName, FacetQuery, FacetReport } from '../event-store.ts'
import { dayKey, dayOfKey } from './sqlite-day.ts'
import { FacetDays } from './sqlite-facet-days.ts'
import {
  decodeFacets,
  type FacetTable,
  type FacetVisitor,
  facetCountOf,
  facetCountry,
  facetCountryName,
  facetsPerDayMax,
  otherCountry,
  otherPath,
  visitFacets,
} from './sqlite-facets.ts'
import { NumberIndex } from './sqlite-number-index.ts'
import type { Snapshot } from './sqlite-snapshot.ts'

/** Days that are added up before other requests get their turn. */
const daysPerTurn = 32
/** Bound of the counts by name and day in one answer. */
const cellsMax = 1_000_000
const otherName = 'other'

export class FacetReader {
  readonly #inSnapshot: Snapshot
  readonly #merged: StatementSync
  readonly #tails: StatementSync
  readonly #subjects: StatementSync
  readonly #pathId: StatementSync
  readonly #pathText: StatementSync
  readonly #extent: StatementSync
  readonly #days = new FacetDays()

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
    const paths = this.#days.pathsOf(site)
    const sums = new FacetSums(range, this.#names(site), this.#accept(site, filter), paths)
    for (let start = range.start; start <= range.end; start += daysPerTurn) {
      if (start > range.start) await new Promise(resolve => setImmediate(resolve))
      const turn = { start, end: Math.min(range.end, start + daysPerTurn - 1) }
      // At one moment: a tail that is merged between two reads would count twice.
      this.#inSnapshot(() => this.#addDays(site, turn, sums, paths))
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

  #addDays(site: number, range: DateRange, sums: FacetSums, paths: NumberIndex): void {
    const bounds = [dayKey(site, range.start), dayKey(site, range.end)] as const
    const tails = new Map<number, Uint8Array>()
    for (const row of this.#tails.iterate(...bounds)) tails.set(Number(row.key), row.data as Uint8Array)
    for (const row of this.#merged.iterate(...bounds)) {
      const key = Number(row.key)
      const merged = row.data as Uint8Array
      const tail = tails.get(key)
      sums.beginDay(dayOfKey(key))
      if (tail && facetCountOf(merged) + facetCountOf(tail) > facetsPerDayMax) {
        // Some of the tail may count as "other": only together can they tell.
        const table = decodeFacets(merged)
        table.absorb(decodeFacets(tail))
        visitTable(table, sums.add)
        tails.delete(key)
      } else this.#days.visit(key, merged, paths, sums.addIndexed)
    }
    for (const [key, tail] of tails) {
      sums.beginDay(dayOfKey(key))
      visitFacets(tail, sums.add)
    }
  }

  /** What the ids of subjects stand for; a name whose company was reported differently is one name, with the last company. */
  #names(site: number): { bySubject: NumberIndex; nameOf: number[]; names: FacetName[] } {
    const bySubject = new NumberIndex()
    const nameOf: number[] = []
    const names: FacetName[] = []
    const indexes = new Map<string, number>()
    for (const row of this.#subjects.iterate(site)) {
      const type = eventTypes[Number(row.type)]!
      const name = { type, name: String(row.name), company: String(row.company) }
      const text = `${type} ${name.name}`
      const index = indexes.get(text) ?? names.length
      indexes.set(text, index)
      names[index] = name
      nameOf[bySubject.of(Number(row.id))] = index
    }
    return { bySubject, nameOf, names }
  }

  #accept(site: number, { names, path, country }: FacetFilter): Accept {
    const wanted = names && new Set(names.map(({ type, name }) => `${type} ${name}`))
    return {
      name: ({ type, name }) => wanted === null || wanted.has(`${type} ${name}`),
      path:
        path === null
          ? null
          : path === otherName
            ? otherPath
            : Number(this.#pathId.get(site, path)?.id ?? -1),
      country: country === null ? null : countryCode(country),
    }
  }
}

const nothing: FacetReport = {
  names: [],
  pages: [],
  pageCount: 0,
  otherPages: { name: otherName, bot: 0, referral: 0, conversion: 0, value: 0 },
  countries: [],
  range: null,
  days: new Float64Array(0),
}

interface Accept {
  readonly name: (name: FacetName) => boolean
  readonly path: number | null
  readonly country: number | null
}

function countryCode(country: string): number {
  if (country === otherName) return otherCountry
  return /^[A-Z]{2}$/.test(country) ? facetCountry(country.charCodeAt(0) * 256 + country.charCodeAt(1)) : -1
}

const visitTable = (table: FacetTable, visit: FacetVisitor): void => {
  for (let i = 0; i < table.size; i++) {
    const value = table.values.get(i) ?? zeroSum
    visit(table.subjects[i]!, table.paths[i]!, table.countries[i]!, table.counts[i]!, value)
  }
}

/** Three counts (bot, referral, conversion) and a value for each index. */
class CountsByIndex {
  counts = new Float64Array(768)
  readonly values = new Map<number, DecimalSum>()

  add(index: number, type: number, count: number, value: DecimalSum): void {
    const at = index * 3 + type
    if (at >= this.counts.length) {
      const grown = new Float64Array(Math.max(this.counts.length * 2, at + 3))
      grown.set(this.counts)
      this.counts = grown
    }
    this.counts[at]! += count
    if (value !== zeroSum) this.values.set(index, addDecimals(this.values.get(index) ?? zeroSum, value))
  }

  total(index: number): number {
    return (
      (this.counts[index * 3] ?? 0) + (this.counts[index * 3 + 1] ?? 0) + (this.counts[index * 3 + 2] ?? 0)
    )
  }

  row(index: number, name: string): FacetCount {
    return {
      name,
      bot: this.counts[index * 3] ?? 0,
      referral: this.counts[index * 3 + 1] ?? 0,
      conversion: this.counts[index * 3 + 2] ?? 0,
      value: fromDecimal(this.values.get(index) ?? zeroSum),
    }
  }
}

/** Indexes of the largest weights, the largest first; none for a weight of 0. Sorting all of them would take longer than adding them up. */
function heaviest(weights: Float64Array, most: number): number[] {
  if (most === 0) return []
  const sorted = weights.slice().sort()
  const least = sorted[Math.max(0, sorted.length - most)] ?? 0
  const chosen: number[] = []
  let ties = most - sorted.subarray(Math.max(0, sorted.length - most)).filter(each => each > least).length
  weights.forEach((each, index) => {
    if (each > least) chosen.push(index)
    else if (each === least && each > 0 && ties-- > 0) chosen.push(index)
  })
  return chosen.sort((a, b) => weights[b]! - weights[a]!)
}

class FacetSums {
  readonly #range: DateRange
  readonly #bySubject: NumberIndex
  readonly #nameOf: number[]
  readonly #names: FacetName[]
  readonly #accept: Accept
  readonly #wantedPath: number | null
  readonly #accepted: boolean[]
  /** Index of the type, by name. */
  readonly #types: number[]
  /** Of the site; grows with every path that was ever asked about. */
  readonly #paths: NumberIndex
  readonly #byName = new CountsByIndex()
  readonly #byPath = new CountsByIndex()
  readonly #byCountry = new CountsByIndex()
  readonly #days: Float64Array
  /** Null where there are too many. */
  readonly #daysByName: (Float64Array | null)[] = []
  #cells = 0
  #day = 0

  constructor(
    range: DateRange,
    { bySubject, nameOf, names }: { bySubject: NumberIndex; nameOf: number[]; names: FacetName[] },
    accept: Accept,
    paths: NumberIndex,
  ) {
    this.#range = range
    this.#paths = paths
    this.#wantedPath = accept.path === null || accept.path === -1 ? accept.path : paths.of(accept.path)
    this.#bySubject = bySubject
    this.#nameOf = nameOf
    this.#names = names
    this.#accept = accept
    this.#accepted = names.map(accept.name)
    this.#types = names.map(({ type }) => eventTypes.indexOf(type))
    this.#days = new Float64Array((range.end - range.start + 1) * 3)
  }

  beginDay(day: number): void {
    this.#day = day - this.#range.start
  }

  readonly add: FacetVisitor = (subject, path, country, count, value) =>
    this.addIndexed(subject, this.#paths.of(path), country, count, value)

  /** As `add`, with the index of the path instead of its id. */
  readonly addIndexed: FacetVisitor = (subject, path, country, count, value) => {
    if (this.#wantedPath !== null && path !== this.#wantedPath) return
    if (this.#accept.country !== null && country !== this.#accept.country) return
    const name = this.#nameOf[this.#bySubject.of(subject)]
    // A name that came into being after the names were read belongs to the next answer.
    if (name === undefined || !this.#accepted[name]) return
    const type = this.#types[name]!
    this.#byName.add(name, type, count, value)
    this.#byPath.add(path, type, count, value)
    this.#byCountry.add(country, type, count, value)
    this.#days[this.#day * 3 + type]! += count
    const days = this.#daysByName[name]
    if (days) days[this.#day]! += count
    else if (days === undefined) this.#newDays(name, count)
  }

  report(pagesMax: number, pageOrder: EventType | null, textOf: (id: number) => string): FacetReport {
    const names = this.#names.flatMap((name, index) =>
      this.#byName.total(index) === 0
        ? []
        : [
            {
              ...name,
              count: this.#byName.total(index),
              value: fromDecimal(this.#byName.values.get(index) ?? zeroSum),
              days: this.#daysByName[index] ?? null,
            },
          ],
    )
    const countries: FacetCount[] = []
    for (let code = 0; code * 3 < this.#byCountry.counts.length; code++) {
      if (this.#byCountry.total(code) === 0) continue
      countries.push(this.#byCountry.row(code, code === otherCountry ? otherName : facetCountryName(code)))
    }
    const ids = this.#paths.keys
    const order = pageOrder === null ? null : eventTypes.indexOf(pageOrder)
    const weight = (index: number): number =>
      order === null ? this.#byPath.total(index) : this.#byPath.counts[index * 3 + order]!
    const weights = Float64Array.from(ids, (id, index) => (id === otherPath ? 0 : weight(index)))
    const other = ids.indexOf(otherPath)
    return {
      names,
      countries,
      range: this.#range,
      days: this.#days,
      pages: heaviest(weights, pagesMax).map(index => this.#byPath.row(index, textOf(ids[index]!))),
      pageCount: weights.reduce((count, each) => count + (each > 0 ? 1 : 0), 0),
      otherPages: this.#byPath.row(other === -1 ? this.#paths.size : other, otherName),
    }
  }

  #newDays(name: number, count: number): void {
    const length = this.#range.end - this.#range.start + 1
    const fits = this.#cells + length <= cellsMax
    this.#daysByName[name] = fits ? new Float64Array(length) : null
    if (!fits) return
    this.#cells += length
    this.#daysByName[name]![this.#day] = count
  }
}
