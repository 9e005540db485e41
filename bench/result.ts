/** A line of the table: what was measured, beside what, and whether that is good enough. */

export interface Figure {
  readonly value: number
  readonly unit: string
  /** CPU time of the server a request, in microseconds, where that was measured. */
  readonly cpu: number | null
}

export type Target = { readonly atLeast: number } | { readonly atMost: number }

export interface Result {
  readonly row: number
  readonly measure: string
  readonly ours: Figure
  /** Of the other tree; null when none was given. */
  readonly against: Figure | null
  readonly yardstick: Figure | null
  /** What the target is about: a ratio to the yardstick, or the figure itself. */
  readonly score: number
  /** The same of the other tree. */
  readonly scoreAgainst: number | null
  readonly target: Target | null
}

/** A row that could not be measured, and why. */
export interface Skipped {
  readonly row: number
  readonly measure: string
  readonly reason: string
}

export const isReached = ({ score, target }: Result): boolean | null => {
  if (target === null) return null
  return 'atLeast' in target ? score >= target.atLeast : score <= target.atMost
}

export const figure = (value: number, unit: string, cpu: number | null = null): Figure => ({
  value,
  unit,
  cpu,
})
