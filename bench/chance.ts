/** Chance that is the same in every run, and uneven as traffic is: few things are met often, many once. */

export interface Chance {
  /** From 0 to below 1. */
  share(): number
  /** A whole number from 0 to below `n`, each as likely as the next. */
  upTo(n: number): number
  /** A whole number from 0 to below `n`; the chance of the k-th falls as 1/k. */
  zipf(n: number): number
  pick<T>(from: readonly T[]): T
}

/** Xorshift with 32 bits; equal seeds give equal numbers. */
export function createChance(seed: number): Chance {
  let state = Math.imul(seed, 2_654_435_761) >>> 0 || 1
  const share = (): number => {
    state = (state ^ (state << 13)) >>> 0
    state ^= state >>> 17
    state = (state ^ (state << 5)) >>> 0
    return state / 2 ** 32
  }
  const upTo = (n: number): number => Math.floor(share() * n)
  return {
    share,
    upTo,
    zipf: n => Math.max(0, Math.min(n - 1, Math.floor(n ** share()) - 1)),
    pick: from => from[upTo(from.length)]!,
  }
}

/** How many different pages `requests` requests of one site ask for: Heaps' law, fitted to the real log of the tests. */
export const pagesOf = (requests: number): number =>
  Math.max(200, Math.round(1771 * (requests / 10_000) ** 0.7))
