/** A batch that was sent to be recorded: its items are taken one by one, so that others have a turn in the middle of a long batch. */
import type { NewEvent } from '../domain/event.ts'
import type { DailyLoad } from '../storage/event-store.ts'

/** What the items of a batch come to. */
export interface BatchResult {
  readonly events: readonly NewEvent[]
  /** Items that are no events, by reason. */
  readonly ignored: Readonly<Record<string, number>>
  /** Fields of items that this version does not know, all together. */
  readonly unknownFields: number
  /** What the requests in the batch cost the site. */
  readonly load: readonly DailyLoad[]
  /** Acknowledges the batch. */
  readonly report: object
}

export interface IncomingBatch {
  /** Throws INVALID_EVENT that names the index and the field of what is wrong. */
  take(item: unknown, index: number): void
  /** Of all that was taken. To be called once. */
  result(): BatchResult
}

/** These take about a millisecond. */
const itemsAtOnce = 250

/** Takes 250 items between two turns. A promise only where there are more; throws, then or at once, what the batch throws. */
export function takeInTurns(
  batch: IncomingBatch,
  items: readonly unknown[],
  nextTurn: () => Promise<void>,
): Promise<void> | undefined {
  if (items.length > itemsAtOnce) return takeMany(batch, items, nextTurn)
  takeFrom(batch, items, 0)
  return undefined
}

async function takeMany(
  batch: IncomingBatch,
  items: readonly unknown[],
  nextTurn: () => Promise<void>,
): Promise<void> {
  for (let start = 0; start < items.length; start += itemsAtOnce) {
    if (start > 0) await nextTurn()
    takeFrom(batch, items, start)
  }
}

function takeFrom(batch: IncomingBatch, items: readonly unknown[], start: number): void {
  const end = Math.min(start + itemsAtOnce, items.length)
  for (let i = start; i < end; i++) batch.take(items[i], i)
}
