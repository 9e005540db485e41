/** Days of the breakdown roll-up as they were decoded last: most of them are past and never change again. */
import { type DecimalSum, zeroSum } from '../../domain/money.ts'
import { type FacetVisitor, facetCountOf, visitFacets } from './sqlite-facets.ts'
import { NumberIndex } from './sqlite-number-index.ts'

interface DecodedDay {
  /** What it was decoded from; other bytes mean another day. */
  readonly bytes: Uint8Array
  /** The paths that `paths` are indexes into; another one gives other numbers. */
  readonly index: NumberIndex
  readonly subjects: Float64Array
  /** Indexes into the paths of the site. */
  readonly paths: Uint32Array
  readonly countries: Uint16Array
  readonly counts: Float64Array
  readonly values: ReadonlyMap<number, DecimalSum>
}

/** Triples kept at the most, of all sites together: about 40 MB. */
const triplesMax = 1_500_000

export class FacetDays {
  readonly #days = new Map<number, DecodedDay>()
  readonly #paths = new Map<number, NumberIndex>()
  #triples = 0

  /** The paths of a site by their index. To be asked for anew with every question. */
  pathsOf(site: number): NumberIndex {
    if (this.#triples > triplesMax) {
      this.#days.clear()
      this.#paths.clear()
      this.#triples = 0
    }
    let paths = this.#paths.get(site)
    if (!paths) {
      paths = new NumberIndex()
      this.#paths.set(site, paths)
    }
    return paths
  }

  /** Visits a day with the index of each path in place of its id. */
  visit(key: number, bytes: Uint8Array, paths: NumberIndex, visit: FacetVisitor): void {
    let day = this.#days.get(key)
    if (day?.index !== paths || Buffer.compare(day.bytes, bytes) !== 0) {
      this.#triples -= day?.counts.length ?? 0
      day = decode(bytes, paths)
      this.#triples += day.counts.length
      this.#days.set(key, day)
    }
    const { subjects, paths: indexes, countries, counts, values } = day
    const hasValues = values.size > 0
    for (let i = 0; i < counts.length; i++) {
      visit(
        subjects[i]!,
        indexes[i]!,
        countries[i]!,
        counts[i]!,
        hasValues ? (values.get(i) ?? zeroSum) : zeroSum,
      )
    }
  }
}

function decode(bytes: Uint8Array, index: NumberIndex): DecodedDay {
  const length = facetCountOf(bytes)
  const subjects = new Float64Array(length)
  const paths = new Uint32Array(length)
  const countries = new Uint16Array(length)
  const counts = new Float64Array(length)
  const values = new Map<number, DecimalSum>()
  let i = 0
  visitFacets(bytes, (subject, path, country, count, value) => {
    if (value !== zeroSum) values.set(i, value)
    subjects[i] = subject
    paths[i] = index.of(path)
    countries[i] = country
    counts[i++] = count
  })
  return { bytes, index, subjects, paths, countries, counts, values }
}
