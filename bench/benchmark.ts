/** What a benchmark gets and gives: the stored traffic and the patience on one side, rows of figures on the other. */
import type { Figure } from './compare.ts'
import type { Fixture } from './fixture.ts'

/** Stored traffic on disk. */
export interface StoredFixture extends Fixture {
  /** Data folder. */
  readonly data: string
  readonly events: number
}

export interface Bench {
  readonly rounds: number
  /** Length of a round. */
  readonly seconds: number
  /** Lengths of the logs that are imported. */
  readonly logLines: readonly number[]
  /** Made when it is first asked for. */
  large(): Promise<StoredFixture>
  small(): Promise<StoredFixture>
  /** As much traffic as `large`, of one site with 100,000 paths over 90 days. */
  manyPages(): Promise<StoredFixture>
  /** A copy that may be written to. */
  copyOf(fixture: StoredFixture): StoredFixture
  /** A new folder, removed after the run. */
  newFolder(): string
  /** Tells what is going on. */
  say(text: string): void
}

export interface Benchmark {
  /** Number of its rows in docs/performance.md. */
  readonly row: number
  readonly about: string
  run(bench: Bench): Promise<readonly Row[]>
}

/** A line of the table. */
export interface Row {
  readonly row: number
  readonly measure: string
  /** Of `ours` and the yardstick. */
  readonly unit: string
  readonly ours: Figure
  readonly yardstick: (Figure & { readonly name: string }) | null
  /** What the target is about: a ratio where there is a yardstick to be near to, else a figure in `unit`. */
  readonly score: number
  readonly target: Target
  readonly reached: boolean
  /** CPU time of the server a request, in microseconds. */
  readonly cpu?: { readonly ours: number; readonly yardstick: number }
  readonly note?: string
}

export interface RowNotMeasured {
  readonly row: number
  readonly measure: string
  readonly notMeasured: string
}

export type Target = { readonly atLeast: number } | { readonly atMost: number }

/** Completes a row with whether it reaches its target. */
export function judge(row: Omit<Row, 'reached'>): Row {
  const { score, target } = row
  return { ...row, reached: 'atLeast' in target ? score >= target.atLeast : score <= target.atMost }
}
