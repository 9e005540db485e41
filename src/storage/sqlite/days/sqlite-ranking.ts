/** Puts counted names in the order of reports: by count, descending, then by name; and finds the largest of many. */
import { eventTypes } from '../../../domain/event.ts'
import { fromDecimal } from '../../../domain/money.ts'
import type { CountsByName, NameColumns, NameCount, Subject } from '../../event-store.ts'

export interface SiteName extends Subject {
  /** Of this type, name and company, for good. */
  readonly number: number
}

/** The names of a site in the order of their indexes, and their order in answers. */
export interface Ranking {
  readonly names: readonly SiteName[]
  /** By index: SiteName.number. */
  readonly numbers: Uint32Array
  /** By index: the place by name. */
  readonly ranks: Uint32Array
  /** Indexes, type by type, each in the order of the last answer. */
  readonly order: Uint32Array
  /** Where the types end in it. */
  readonly ends: readonly number[]
}

export const noNames: Ranking = {
  names: [],
  numbers: new Uint32Array(),
  ranks: new Uint32Array(),
  order: new Uint32Array(),
  ends: [0, 0, 0],
}

/** Counts and sums of values by the index of a name, used again for every question. */
export class NameSums {
  counts = new Float64Array(256)
  /** Split as in domain/money.ts, but not carried over. */
  wholes = new Float64Array(256)
  billionths = new Float64Array(256)

  /** Sets the first `width` places to 0. */
  clear(width: number): void {
    if (this.counts.length < width) {
      for (const name of ['counts', 'wholes', 'billionths'] as const) this[name] = new Float64Array(width * 2)
      return
    }
    this.counts.fill(0, 0, width)
    this.wholes.fill(0, 0, width)
    this.billionths.fill(0, 0, width)
  }
}

/** The names that were counted, in the order of reports; used again for every question. */
export class RankedNames implements NameColumns {
  readonly ends = [0, 0, 0]
  numbers = new Uint32Array(256)
  counts = new Float64Array(256)
  values = new Float64Array(256)
  #names: readonly SiteName[] = []
  /** By row. */
  #indexes = new Uint32Array(256)

  /**
   * Takes those whose count is not 0. Count and place by name go into one number, so that no comparison function is needed;
   * `sums.counts` is used up.
   */
  fill({ names, numbers, ranks, order, ends }: Ranking, sums: NameSums): void {
    const width = names.length
    this.#makeRoom(width)
    this.#names = names
    const keys = sums.counts
    for (let i = 0; i < width; i++) {
      if (keys[i] !== 0) keys[i] = keys[i]! * width + (width - 1 - ranks[i]!)
    }
    let row = 0
    for (let type = 0, start = 0; type < ends.length; start = ends[type++]!) {
      const end = ends[type]!
      sortByKey(order, keys, start, end)
      for (let place = start; place < end; place++) {
        const index = order[place]!
        const key = keys[index]!
        if (key === 0) break
        this.#indexes[row] = index
        this.numbers[row] = numbers[index]!
        this.counts[row] = Math.floor(key / width)
        this.values[row] =
          type === conversion
            ? fromDecimal({ whole: sums.wholes[index]!, billionths: sums.billionths[index]! })
            : 0
        row++
      }
      this.ends[type] = row
    }
  }

  subjectAt(row: number): SiteName {
    return this.#names[this.#indexes[row]!]!
  }

  #makeRoom(width: number): void {
    if (width <= this.numbers.length) return
    this.numbers = new Uint32Array(width * 2)
    this.counts = new Float64Array(width * 2)
    this.values = new Float64Array(width * 2)
    this.#indexes = new Uint32Array(width * 2)
  }
}

const conversion = eventTypes.indexOf('conversion')

export function toCountsByName(columns: NameColumns): CountsByName {
  const rows = Array.from({ length: columns.ends.at(-1)! }, (_, row): NameCount => {
    const { name, company } = columns.subjectAt(row)
    return { name, company, count: columns.counts[row]!, value: columns.values[row]! }
  })
  const [bots, referrals] = columns.ends
  return {
    bot: rows.slice(0, bots),
    referral: rows.slice(bots, referrals),
    conversion: rows.slice(referrals),
  }
}

const insertionMax = 300

/** Sorts a part of `order` by key, descending. The order of the last question about the site is nearly right for the next one. */
function sortByKey(order: Uint32Array, keys: Float64Array, start: number, end: number): void {
  if (end - start > insertionMax) {
    order.subarray(start, end).sort((a, b) => keys[b]! - keys[a]!)
    return
  }
  for (let i = start + 1; i < end; i++) {
    const index = order[i]!
    const key = keys[index]!
    let at = i
    for (; at > start && keys[order[at - 1]!]! < key; at--) order[at] = order[at - 1]!
    order[at] = index
  }
}

/** The names in the order of their indexes, with the place of each in the order of code units. */
export function rankNames(names: readonly SiteName[]): Ranking {
  const byName = [...names.keys()].sort((a, b) => (names[a]!.name < names[b]!.name ? -1 : 1))
  const ranks = new Uint32Array(names.length)
  byName.forEach((index, rank) => {
    ranks[index] = rank
  })
  const byType = eventTypes.map(type => byName.filter(index => names[index]!.type === type))
  let end = 0
  const ends = byType.map(({ length }) => (end += length))
  return {
    names,
    numbers: Uint32Array.from(names, ({ number }) => number),
    ranks,
    order: Uint32Array.from(byType.flat()),
    ends,
  }
}

/**
 * Indexes of the largest weights, the largest first, none for a weight of 0; of equal ones, that with the smaller id. Sorts few of them.
 */
export function largest(weights: Float64Array, idOf: (index: number) => number, most: number): number[] {
  const isBefore = (a: number, b: number): boolean =>
    weights[a]! > weights[b]! || (weights[a] === weights[b] && idOf(a) < idOf(b))
  let found: number[] = []
  let last = -1
  let least = 0
  const cut = (): void => {
    found = found.sort((a, b) => (isBefore(a, b) ? -1 : 1)).slice(0, most)
    if (found.length < most || most === 0) return
    last = found.at(-1)!
    least = weights[last]!
  }
  for (let i = 0; i < weights.length; i++) {
    if (weights[i]! < least || weights[i] === 0 || (last !== -1 && !isBefore(i, last))) continue
    if (found.push(i) >= most * 2) cut()
  }
  cut()
  return found
}
