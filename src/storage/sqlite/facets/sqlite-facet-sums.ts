/** Adds up the days of a breakdown, by name, page, country and day at once. */
import type { DateRange } from '../../../domain/date-range.ts'
import { type EventType, eventTypes } from '../../../domain/event.ts'
import { addDecimals, type DecimalSum, fromDecimal, zeroSum } from '../../../domain/money.ts'
import type { FacetCount, FacetName, FacetReport } from '../../event-store.ts'
import { largest } from '../days/sqlite-ranking.ts'
import type { FacetColumns, Integers } from './sqlite-facet-columns.ts'
import { facetCountryName, otherCountry, otherPath } from './sqlite-facets.ts'
import { PageSums } from './sqlite-page-sums.ts'

/** The names of a site, and which of them each subject has. */
export interface FacetNames {
  readonly names: readonly FacetName[]
  readonly bySubject: ReadonlyMap<number, number>
}

/** Conditions on a triple; null is none. A page or country that the site does not have is -1. */
export interface FacetCondition {
  readonly name: (name: FacetName) => boolean
  readonly path: number | null
  readonly country: number | null
}

export const otherName = 'other'

/** Bound of the counts by name and day in one answer. */
const cellsMax = 1_000_000
/** In place of the type of a name that the condition leaves out. */
const leftOut = 3
const anyCountry = -1
const countriesMax = 677

export class FacetSums {
  readonly #range: DateRange
  readonly #names: FacetNames
  readonly #condition: FacetCondition
  readonly #countsPages: boolean
  /** By name: index of its type, or `leftOut`. */
  readonly #types: readonly number[]
  readonly #pages = new PageSums()
  /** Three counts (bot, referral, conversion) each. */
  readonly #byCountry = new Float64Array(countriesMax * 3)
  readonly #byDay: Float64Array
  readonly #byName: Float64Array
  readonly #pageValues = new PageValues()
  readonly #countryValues = new ValueSums(countriesMax)
  readonly #nameValues: ValueSums
  /** By name; null where there are too many. */
  readonly #daysByName: (Float64Array | null)[] = []
  #cells = 0

  /** Without `countsPages` the report is silent about pages. */
  constructor(range: DateRange, names: FacetNames, condition: FacetCondition, countsPages: boolean) {
    this.#range = range
    this.#names = names
    this.#condition = condition
    this.#countsPages = countsPages
    this.#types = names.names.map(each => (condition.name(each) ? eventTypes.indexOf(each.type) : leftOut))
    this.#byName = new Float64Array(names.names.length)
    this.#nameValues = new ValueSums(names.names.length)
    this.#byDay = new Float64Array((range.end - range.start + 1) * 3)
  }

  add(day: number, columns: FacetColumns): void {
    const part = this.#partOf(columns)
    if (part === null) return
    const { length, total, pageBefore, highestPage, countryCodes } = columns
    if (this.#countsPages) this.#pages.expect(total, length, pageBefore + 1, highestPage)
    // While all counts of a day together fit, its sums are such integers, too.
    const Sums = total < 2 ** 32 ? Uint32Array : Float64Array
    const bySubject = new Sums(columns.subjectIds.length)
    const byCountry = new Sums(countryCodes.length * 3)
    sweep(columns, part, this.#countsPages ? this.#pages : null, bySubject, byCountry)
    this.#addNames(day - this.#range.start, part, bySubject)
    for (let i = 0; i < byCountry.length; i++) {
      this.#byCountry[countryCodes[Math.floor(i / 3)]! * 3 + (i % 3)]! += byCountry[i]!
    }
    if (columns.valuedLength > 0) this.#addValues(columns, part)
  }

  /** The condition in terms of a day; null where nothing of the day can meet it. */
  #partOf({ subjectIds, countryCodes, pageBefore, highestPage }: FacetColumns): DayPart | null {
    const { country: wanted, path } = this.#condition
    const country = wanted === null ? anyCountry : countryCodes.indexOf(wanted)
    if (wanted !== null && country === -1) return null
    if (path !== null && path !== otherPath && (path <= pageBefore || path > highestPage)) return null
    const { bySubject } = this.#names
    // A name that came into being after the names were read belongs to the next answer.
    const nameOf = subjectIds.map(id => bySubject.get(id) ?? -1)
    return {
      nameOf,
      typeOf: nameOf.map(name => this.#types[name] ?? leftOut),
      country,
      page: path && path - pageBefore,
    }
  }

  #addNames(day: number, { nameOf, typeOf }: DayPart, bySubject: Uint32Array | Float64Array): void {
    for (let subject = 0; subject < bySubject.length; subject++) {
      const count = bySubject[subject]!
      if (count === 0) continue
      const name = nameOf[subject]!
      this.#byName[name]! += count
      this.#byDay[day * 3 + typeOf[subject]!]! += count
      const days = this.#daysOf(name)
      if (days) days[day]! += count
    }
  }

  #addValues(columns: FacetColumns, { nameOf, typeOf, country, page: wanted }: DayPart): void {
    const { valued, valuedPageSteps, pageBefore, wholes, billionths, subjects, countries, countryCodes } =
      columns
    let page = 0
    for (let v = 0; v < columns.valuedLength; v++) {
      page += valuedPageSteps[v]!
      const at = valued[v]!
      const subject = subjects[at]!
      if (typeOf[subject] === leftOut || (wanted !== null && page !== wanted)) continue
      if (country !== anyCountry && countries[at] !== country) continue
      const whole = wholes[v]!
      const rest = billionths[v]!
      this.#nameValues.add(nameOf[subject]!, whole, rest)
      this.#countryValues.add(countryCodes[countries[at]!]!, whole, rest)
      if (this.#countsPages) this.#pageValues.add(page === 0 ? otherPath : pageBefore + page, whole, rest)
    }
  }

  /** `textOf` gives the path of an id. */
  report(pagesMax: number, pageOrder: EventType | null, textOf: (id: number) => string): FacetReport {
    const { weights, pageCount } = this.#weighPages(pageOrder)
    const places = largest(weights, place => this.#pages.idOf(place), pagesMax)
    const ids = places.map(place => this.#pages.idOf(place))
    const pageValues = this.#pageValues.sumsOf([otherPath, ...ids])
    const pageRow = (place: number, id: number, name: string): FacetCount =>
      rowOf(this.#pages.counts, place, name, fromDecimal(pageValues.get(id)!))
    return {
      names: this.#names.names.flatMap((name, index) => {
        const count = this.#byName[index]!
        const value = this.#nameValues.of(index)
        return count === 0 ? [] : [{ ...name, count, value, days: this.#daysByName[index] ?? null }]
      }),
      countries: this.#countries(),
      range: this.#range,
      days: this.#byDay,
      pages: places.map((place, i) => pageRow(place, ids[i]!, textOf(ids[i]!))),
      pageCount,
      otherPages: this.#countsPages ? pageRow(0, otherPath, otherName) : noPages.otherPages,
    }
  }

  #countries(): FacetCount[] {
    const rows: FacetCount[] = []
    for (let code = 0; code < countriesMax; code++) {
      const at = code * 3
      if (this.#byCountry[at]! + this.#byCountry[at + 1]! + this.#byCountry[at + 2]! === 0) continue
      const name = code === otherCountry ? otherName : facetCountryName(code)
      rows.push(rowOf(this.#byCountry, code, name, this.#countryValues.of(code)))
    }
    return rows
  }

  /** By what pages are ordered; 0 for those that are not in the answer, and for "other". */
  #weighPages(pageOrder: EventType | null): { weights: Float64Array; pageCount: number } {
    const weights = new Float64Array(this.#countsPages ? this.#pages.size : 0)
    const byPage = this.#pages.counts
    const type = pageOrder === null ? null : eventTypes.indexOf(pageOrder)
    let pageCount = 0
    for (let place = 1; place < weights.length; place++) {
      const at = place * 3
      const weight = type === null ? byPage[at]! + byPage[at + 1]! + byPage[at + 2]! : byPage[at + type]!
      weights[place] = weight
      if (weight > 0) pageCount++
    }
    return { weights, pageCount }
  }

  #daysOf(name: number): Float64Array | null {
    const known = this.#daysByName[name]
    if (known !== undefined) return known
    const length = this.#range.end - this.#range.start + 1
    const fits = this.#cells + length <= cellsMax
    if (fits) this.#cells += length
    const days = fits ? new Float64Array(length) : null
    this.#daysByName[name] = days
    return days
  }
}

export const noPages = {
  pages: [],
  pageCount: 0,
  otherPages: { name: otherName, bot: 0, referral: 0, conversion: 0, value: 0 },
}

interface DayPart {
  /** By subject of the day: index of its name, and of its type or `leftOut`. */
  readonly nameOf: readonly number[]
  readonly typeOf: readonly number[]
  /** Index into the countries of the day. */
  readonly country: number
  /** As the columns have it, without `pageBefore`. */
  readonly page: number | null
}

/** Adds the counts of a day. A function of its own, so that it is compiled early: most of a first answer's time is spent here. */
function sweep(
  { length, subjects, countries, pageSteps, pageBefore, counts }: FacetColumns,
  { typeOf, country, page: wanted }: DayPart,
  pages: PageSums | null,
  bySubject: Integers,
  byCountry: Integers,
): void {
  const byPage = pages?.counts ?? noCounts
  let page = 0
  let place = 0
  for (let i = 0; i < length; i++) {
    const step = pageSteps[i]!
    if (step !== 0) {
      page += step
      if (pages !== null) place = pages.placeOf(pageBefore + page) * 3
    }
    const subject = subjects[i]!
    const type = typeOf[subject]!
    if (type === leftOut) continue
    if (wanted !== null && page !== wanted) continue
    if (country !== anyCountry && countries[i] !== country) continue
    const count = counts[i]!
    bySubject[subject]! += count
    byCountry[countries[i]! * 3 + type]! += count
    byPage[place + type]! += count
  }
}

const noCounts = new Uint32Array(3)

/** Exact sums by index. */
class ValueSums {
  readonly #wholes: Float64Array
  readonly #billionths: Float64Array

  constructor(length: number) {
    this.#wholes = new Float64Array(length)
    this.#billionths = new Float64Array(length)
  }

  /** The parts of a sum, as in domain/money.ts but without an object each. */
  add(index: number, whole: number, billionths: number): void {
    const rest = this.#billionths[index]! + billionths
    const carry = rest >= 1_000_000_000 ? 1 : 0
    this.#billionths[index] = rest - carry * 1_000_000_000
    this.#wholes[index]! += whole + carry
  }

  of(index: number): number {
    return fromDecimal({ whole: this.#wholes[index]!, billionths: this.#billionths[index]! })
  }
}

/** Values of pages, added up only for those few that are shown. */
class PageValues {
  readonly #pages: number[] = []
  readonly #values: number[] = []

  add(page: number, whole: number, billionths: number): void {
    this.#pages.push(page)
    this.#values.push(whole, billionths)
  }

  sumsOf(pages: readonly number[]): Map<number, DecimalSum> {
    const sums = new Map(pages.map(page => [page, zeroSum]))
    this.#pages.forEach((page, i) => {
      const sum = sums.get(page)
      if (sum === undefined) return
      sums.set(page, addDecimals(sum, { whole: this.#values[i * 2]!, billionths: this.#values[i * 2 + 1]! }))
    })
    return sums
  }
}

const rowOf = (
  counts: Uint32Array | Float64Array,
  index: number,
  name: string,
  value: number,
): FacetCount => ({
  name,
  bot: counts[index * 3] ?? 0,
  referral: counts[index * 3 + 1] ?? 0,
  conversion: counts[index * 3 + 2] ?? 0,
  value,
})
