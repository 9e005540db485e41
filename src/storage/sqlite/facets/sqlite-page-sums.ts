/**
 * Counts of pages by type. Ids of a site's pages mostly lie close together, and then the id tells the place: a hundred thousand
 * pages, met five thousand a day, would otherwise cost a search each (row 13 of docs/performance.md).
 */
import { otherPath } from './sqlite-facets.ts'
import { NumberIndex } from './sqlite-number-index.ts'

/** From the lowest to the highest id; further apart, places are looked up. 12 bytes each. */
const spreadMax = 2 ** 21

export class PageSums {
  /** Three counts (bot, referral, conversion) a place. */
  counts: Uint32Array | Float64Array = new Uint32Array(3)
  #total = 0
  /** Place 0 is "other". */
  #places = 1
  /** While ids tell the places: `id - before`. */
  #before = 0
  #index: NumberIndex | null = null

  /**
   * To be called before counts are added whose sum is `total`, of so many pages from `lowest` to `highest` (0 where all are "other"),
   * and before their places are asked for.
   */
  expect(total: number, pages: number, lowest: number, highest: number): void {
    this.#total += total
    if (this.#total >= 2 ** 32 && this.counts instanceof Uint32Array)
      this.counts = Float64Array.from(this.counts)
    if (highest === otherPath) return
    const first = this.#places === 1 ? lowest : Math.min(lowest, this.#before + 1)
    const last = Math.max(highest, this.#before + this.#places - 1)
    if (this.#index === null && last - first >= spreadMax) this.#scatter()
    if (this.#index !== null) {
      this.#places = this.#index.size
      this.#reserve(this.#places + pages)
    } else {
      const before = first - 1
      if (this.#places > 1 && before < this.#before) this.#shift(this.#before - before)
      this.#before = before
      this.#places = last - before + 1
      this.#reserve(this.#places)
    }
  }

  /** Place of an id; the same until `expect` is called. */
  placeOf(id: number): number {
    if (this.#index !== null) return this.#index.of(id)
    return id === otherPath ? 0 : id - this.#before
  }

  get size(): number {
    return this.#index?.size ?? this.#places
  }

  idOf(place: number): number {
    if (this.#index !== null) return this.#index.keys[place]!
    return place === 0 ? otherPath : this.#before + place
  }

  #shift(distance: number): void {
    this.#reserve(this.#places + distance)
    this.counts.copyWithin((1 + distance) * 3, 3, this.#places * 3)
    this.counts.fill(0, 3, (1 + distance) * 3)
  }

  #scatter(): void {
    const index = new NumberIndex()
    index.of(otherPath)
    for (let place = 1; place < this.#places; place++) {
      const at = place * 3
      if (this.counts[at] === 0 && this.counts[at + 1] === 0 && this.counts[at + 2] === 0) continue
      // Never behind where it comes from.
      const to = index.of(this.#before + place) * 3
      this.counts.copyWithin(to, at, at + 3)
      if (to !== at) this.counts.fill(0, at, at + 3)
    }
    this.#index = index
  }

  #reserve(places: number): void {
    if (places * 3 <= this.counts.length) return
    const length = places * 3 * 2
    const grown = this.counts instanceof Uint32Array ? new Uint32Array(length) : new Float64Array(length)
    grown.set(this.counts)
    this.counts = grown
  }
}
