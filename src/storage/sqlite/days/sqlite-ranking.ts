/** Puts counted names in the order of reports: by count, descending, then by name; and finds the largest of many. */
import type { EventType } from '../../../domain/event.ts'
import { type DecimalSum, fromDecimal } from '../../../domain/money.ts'
import type { CountsByName, NameCount } from '../../event-store.ts'

export interface SiteName {
  readonly type: EventType
  readonly name: string
  readonly company: string
}

/** The names of a site in the order of their indexes, and their order by name. */
export interface Ranking {
  readonly names: readonly SiteName[]
  /** Indexes in the order of the last answer. */
  readonly order: Uint32Array
  readonly ranks: Uint32Array
}

export const noNames: Ranking = { names: [], order: new Uint32Array(), ranks: new Uint32Array() }

/**
 * The names whose count (by index) is not 0. Count and place by name go into one number, so that no comparison function is needed;
 * `counts` is used up. `values` has the sums of conversions with values, if there are any.
 */
export function sortedCounts(
  { names, order, ranks }: Ranking,
  counts: Float64Array,
  values: ReadonlyMap<number, DecimalSum> | null,
): CountsByName {
  const width = names.length
  for (let i = 0; i < width; i++) {
    if (counts[i] !== 0) counts[i] = counts[i]! * width + (width - 1 - ranks[i]!)
  }
  sortByKey(order, counts)
  const bot: NameCount[] = []
  const referral: NameCount[] = []
  const conversion: NameCount[] = []
  for (let place = 0; place < width; place++) {
    const index = order[place]!
    const key = counts[index]!
    if (key === 0) break
    const { type, name, company } = names[index]!
    const count = Math.floor(key / width)
    if (type === 'bot') bot.push({ name, company, count, value: 0 })
    else if (type === 'referral') referral.push({ name, company, count, value: 0 })
    else {
      const value = values?.get(index)
      conversion.push({ name, company, count, value: value === undefined ? 0 : fromDecimal(value) })
    }
  }
  return { bot, referral, conversion }
}

const insertionMax = 300

/** Sorts by key, descending. The order of the last question about the site is nearly right for the next one. */
function sortByKey(order: Uint32Array, keys: Float64Array): void {
  if (order.length > insertionMax) {
    order.sort((a, b) => keys[b]! - keys[a]!)
    return
  }
  for (let i = 1; i < order.length; i++) {
    const index = order[i]!
    const key = keys[index]!
    let at = i
    for (; at > 0 && keys[order[at - 1]!]! < key; at--) order[at] = order[at - 1]!
    order[at] = index
  }
}

/** The names in the order of their indexes, with the place of each in the order of code units. */
export function rankNames(siteNames: readonly SiteName[]): Ranking {
  const names = [...siteNames]
  const order = Uint32Array.from(names.keys()).sort((a, b) => (names[a]!.name < names[b]!.name ? -1 : 1))
  const ranks = new Uint32Array(names.length)
  order.forEach((index, rank) => {
    ranks[index] = rank
  })
  return { names, order, ranks }
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
