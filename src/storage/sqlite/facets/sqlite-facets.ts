/**
 * The roll-up behind breakdowns: how often each triple of subject, page and country was seen on a day, so that filters by any of them
 * combine. A day keeps so many triples and counts further ones under "other": its cost does not grow with traffic.
 *
 * A day has two rows: what was merged, and a short tail of what came since, so that one event does not rewrite five thousand counts.
 */
import { addDecimals, type DecimalSum, zeroSum } from '../../../domain/money.ts'
import { ByteReader, ByteWriter } from '../sqlite-bytes.ts'

/** Triples of a site and day that are counted one by one; what comes later counts under "other" page. */
export const facetsPerDayMax = 5_000
/** Beyond this the tail is merged. */
export const facetTailMax = 512
/** Triples with "other" page, by country; past this, "other" country too. */
const otherByCountryMax = 1_000

/** Ids of texts and letters of countries begin at 1: 0 is free to mean "other". */
export const otherPath = 0
export const otherCountry = 0

/** `AA` is 1, `ZZ` is 676. */
export const facetCountry = (packed: number): number => ((packed >> 8) - 65) * 26 + (packed & 255) - 64
export const facetCountryName = (code: number): string =>
  String.fromCharCode(65 + Math.floor((code - 1) / 26), 65 + ((code - 1) % 26))

const emptySlot = -1

/** Counts by triple, in the order in which the triples were first seen. */
export class FacetTable {
  size = 0
  /** So many of the first triples are in the order of their pages. */
  sortedSize = 0
  subjects: Float64Array
  paths: Float64Array
  countries: Uint16Array
  counts: Float64Array
  /** By index; only of triples that have a value. */
  readonly values = new Map<number, DecimalSum>()
  /** Places by hash; made when the first triple is looked up, since those that are only read need none. */
  #slots = new Int32Array(0)

  /** With room for so many triples; more are welcome. */
  constructor(room = 0) {
    // Powers of two, which #slotOf relies on.
    const length = 2 ** Math.ceil(Math.log2(Math.max(room, 64)))
    this.subjects = new Float64Array(length)
    this.paths = new Float64Array(length)
    this.countries = new Uint16Array(length)
    this.counts = new Float64Array(length)
  }

  add(subject: number, path: number, country: number, count: number, value = zeroSum): void {
    if (this.#slots.length === 0 || this.size === this.counts.length) this.#makeSlots()
    const slot = this.#slotOf(subject, path, country)
    let index = this.#slots[slot]!
    if (index === emptySlot) {
      index = this.size
      this.#slots[slot] = index
      this.#append(subject, path, country)
    }
    this.counts[index]! += count
    if (value !== zeroSum) this.values.set(index, addDecimals(this.values.get(index) ?? zeroSum, value))
  }

  /** Adds a triple that is not there; to be called before any look-up. */
  push(subject: number, path: number, country: number, count: number): void {
    const index = this.#append(subject, path, country)
    this.counts[index] = count
  }

  has(subject: number, path: number, country: number): boolean {
    return this.indexOf(subject, path, country) !== emptySlot
  }

  /** -1 for a triple that is not there. */
  indexOf(subject: number, path: number, country: number): number {
    if (this.#slots.length === 0) this.#makeSlots()
    return this.#slots[this.#slotOf(subject, path, country)]!
  }

  /** Sum of the counts. */
  total(): number {
    let total = 0
    for (let i = 0; i < this.size; i++) total += this.counts[i]!
    return total
  }

  /** Takes over what came after this table. */
  absorb(tail: FacetTable): void {
    absorbTail(this, tail)
  }

  #append(subject: number, path: number, country: number): number {
    if (this.size === this.counts.length) this.#grow()
    this.subjects[this.size] = subject
    this.paths[this.size] = path
    this.countries[this.size] = country
    return this.size++
  }

  #slotOf(subject: number, path: number, country: number): number {
    const mask = this.#slots.length - 1
    let hash = Math.imul(subject, 0x9e3779b1) ^ Math.imul(path, 0x85ebca6b) ^ Math.imul(country, 0xc2b2ae35)
    hash ^= hash >>> 15
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const index = this.#slots[slot]!
      if (index === emptySlot) return slot
      if (this.paths[index] === path && this.subjects[index] === subject && this.countries[index] === country)
        return slot
    }
  }

  #grow(): void {
    const length = this.counts.length * 2
    const copy = <Columns extends Float64Array | Uint16Array>(from: Columns, to: Columns): Columns => {
      to.set(from)
      return to
    }
    this.subjects = copy(this.subjects, new Float64Array(length))
    this.paths = copy(this.paths, new Float64Array(length))
    this.countries = copy(this.countries, new Uint16Array(length))
    this.counts = copy(this.counts, new Float64Array(length))
  }

  /** Twice as many as there is room for, and room for one more. */
  #makeSlots(): void {
    if (this.size === this.counts.length) this.#grow()
    this.#slots = new Int32Array(this.counts.length * 2).fill(emptySlot)
    for (let i = 0; i < this.size; i++) {
      this.#slots[this.#slotOf(this.subjects[i]!, this.paths[i]!, this.countries[i]!)] = i
    }
  }
}

/** The counts of a day, to which a tail is added. */
export interface FacetDay {
  /** Number of triples. */
  readonly size: number
  has(subject: number, path: number, country: number): boolean
  add(subject: number, path: number, country: number, count: number, value: DecimalSum): void
}

/** Adds a tail in the order in which its triples came, so that the result is the same whenever it is done. */
export function absorbTail(day: FacetDay, tail: FacetTable): void {
  for (let i = 0; i < tail.size; i++) {
    const subject = tail.subjects[i]!
    let path = tail.paths[i]!
    let country = tail.countries[i]!
    if (day.size >= facetsPerDayMax && !day.has(subject, path, country)) {
      path = otherPath
      if (day.size >= facetsPerDayMax + otherByCountryMax && !day.has(subject, path, country))
        country = otherCountry
    }
    day.add(subject, path, country, tail.counts[i]!, tail.values.get(i) ?? zeroSum)
  }
}

const writer = new ByteWriter()

/** Layout: number of triples; for each subject, path, country, count * 2 + (has a value), value. */
export function encodeFacets(table: FacetTable): Uint8Array {
  writer.number(table.size)
  for (let i = 0; i < table.size; i++) {
    const value = table.values.get(i)
    writer.number(table.subjects[i]!)
    writer.number(table.paths[i]!)
    writer.number(table.countries[i]!)
    writer.number(table.counts[i]! * 2 + (value ? 1 : 0))
    if (value) writer.decimal(value)
  }
  return writer.take()
}

export type FacetVisitor = (
  subject: number,
  path: number,
  country: number,
  count: number,
  value: DecimalSum,
) => void

export const facetCountOf = (bytes: Uint8Array): number => new ByteReader(bytes).number()

export function visitFacets(bytes: Uint8Array, visit: FacetVisitor): void {
  const reader = new ByteReader(bytes)
  for (let left = reader.number(); left > 0; left--) {
    const subject = reader.number()
    const path = reader.number()
    const country = reader.number()
    const packed = reader.number()
    const value = packed % 2 === 1 ? reader.decimal() : zeroSum
    visit(subject, path, country, Math.floor(packed / 2), value)
  }
}
