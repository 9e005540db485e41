/** Loads on each tree and on a yardstick in turn, as a line of the table. */
import type { Bench, Running } from './bench.ts'
import type { LoadResult } from './load.ts'
import { type Figure, figure, type Target } from './result.ts'
import { inTurn, median } from './rounds.ts'

export interface Comparison {
  readonly row: number
  readonly measure: string
  readonly target: Target
  /** What the ratio is made from: CPU time a request, or the rate. */
  readonly by: 'cpu' | 'rate'
  readonly unit: string
  /** Units in a request, such as events of a batch. */
  readonly perRequest?: number
}

/** Adds a line with the medians of all rounds. */
export async function compare(
  bench: Bench,
  { row, measure, target, by, unit, perRequest = 1 }: Comparison,
  running: readonly Running[],
  ask: (running: Running, round: number) => Promise<LoadResult>,
  askYardstick: () => Promise<Rate>,
): Promise<void> {
  bench.progress(`row ${row}: ${measure}`)
  const sides: Record<string, (round: number) => Promise<Rate>> = { yardstick: askYardstick }
  for (const side of running)
    sides[side.subject.label] = async round => rateOf(await ask(side, round), perRequest)
  const results = await inTurn(bench.sizes.rounds, sides)
  const medianOf = (label: string): Figure | null => {
    const rounds = results[label]
    if (rounds === undefined) return null
    const cpus = rounds.map(({ cpu }) => cpu).filter(cpu => cpu !== null)
    return figure(median(rounds.map(({ rate }) => rate)), unit, cpus.length > 0 ? median(cpus) : null)
  }
  const yardstick = medianOf('yardstick')!
  const ratio = (side: Figure | null): number | null => {
    if (side === null) return null
    return by === 'cpu' ? yardstick.cpu! / side.cpu! : side.value / yardstick.value
  }
  const [ours, against] = [medianOf('ours')!, medianOf('against')]
  bench.add({
    row,
    measure,
    ours,
    against,
    yardstick,
    score: ratio(ours)!,
    scoreAgainst: ratio(against),
    target,
  })
}

export interface Rate {
  /** Units a second. */
  readonly rate: number
  /** Microseconds a request; null where it was not measured. */
  readonly cpu: number | null
}

export const rateOf = (result: LoadResult, perRequest = 1): Rate => ({
  rate: result.requestsPerSecond * perRequest,
  cpu: result.cpuPerRequest,
})
