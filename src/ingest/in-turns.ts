/**
 * Works through a long batch and stops now and then, so that whoever drives it can let others have a turn: all at once, a batch in a process
 * that has just started took a tenth of a second (row 8 of docs/performance.md).
 */
const itemsAtOnce = 250

/** Stops after 250 items each. Throws what `take` throws. */
export function* inTurns<Item>(
  items: readonly Item[],
  take: (item: Item, index: number) => void,
): Generator<void, void> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % itemsAtOnce === 0) yield
    take(item, index)
  }
}
