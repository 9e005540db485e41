/** Counts a tail together with a full day without merging the two, so that late events do not slow breakdowns. */
import type { DecimalSum } from '../../../domain/money.ts'
import type { FacetColumns } from './sqlite-facet-columns.ts'
import { absorbTail, type FacetDay, FacetTable, otherPath } from './sqlite-facets.ts'

/** What a tail adds to a day: the same as if it were merged into it, some of it under "other". */
export function facetsBeside(day: FacetColumns, tail: FacetTable): FacetTable {
  const beside = new FacetsBeside(day, tail)
  absorbTail(beside, tail)
  return beside.table
}

class FacetsBeside implements FacetDay {
  size: number
  /** What was added. */
  readonly table = new FacetTable()
  readonly #known = new Set<number>()
  readonly #tail: FacetTable

  constructor(day: FacetColumns, tail: FacetTable) {
    this.size = day.length
    this.#tail = tail
    const pages = tail.paths.slice(0, tail.size).sort()
    let next = 0
    let page = 0
    for (let i = 0; i < day.length; i++) {
      page += day.pageSteps[i]!
      const path = page === 0 ? otherPath : day.pageBefore + page
      while (next < pages.length && pages[next]! < path) next++
      if (path !== otherPath && pages[next] !== path) continue
      const subject = day.subjectIds[day.subjects[i]!]!
      this.#known.add(this.#keyOf(subject, path, day.countryCodes[day.countries[i]!]!))
    }
  }

  has(subject: number, path: number, country: number): boolean {
    return this.#known.has(this.#keyOf(subject, path, country)) || this.table.has(subject, path, country)
  }

  add(subject: number, path: number, country: number, count: number, value: DecimalSum): void {
    if (!this.has(subject, path, country)) this.size++
    this.table.add(subject, path, country, count, value)
  }

  /** Triples of the tail by their place in it, those of "other" pages below -1; for all others, which nobody asks about, it is -1. */
  #keyOf(subject: number, path: number, country: number): number {
    if (path === otherPath) return -2 - (subject * 1024 + country)
    return this.#tail.indexOf(subject, path, country)
  }
}
