/** Rounds that are run in turn, so that what the machine does meanwhile meets all sides alike. */

/** Runs each side once a round. Returns the results of each side, in the order of rounds. */
export async function inTurn<Side extends string, Result>(
  rounds: number,
  sides: Readonly<Record<Side, (round: number) => Promise<Result>>>,
): Promise<Record<Side, Result[]>> {
  const names = Object.keys(sides) as Side[]
  const results = Object.fromEntries(names.map(name => [name, [] as Result[]])) as Record<Side, Result[]>
  for (let round = 0; round < rounds; round++) {
    for (const name of names) results[name].push(await sides[name](round))
  }
  return results
}

/** Of an even number, the mean of the two in the middle. Throws when there are none. */
export function median(numbers: readonly number[]): number {
  if (numbers.length === 0) throw new Error('no figure to take the median of')
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
