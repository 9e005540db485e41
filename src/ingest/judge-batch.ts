/** Judging what was sent, item by item, so that others have a turn in the middle of a long batch. */
import type { NewEvent } from '../domain/event.ts'

/** What the items of a batch come to. */
export interface JudgedBatch {
  readonly events: readonly NewEvent[]
  /** Items that are no events, by reason. */
  readonly ignored: Readonly<Record<string, number>>
  /** Acknowledges the batch. */
  readonly report: object
}

/** Judges one batch. */
export interface BatchJudge {
  /** Throws INVALID_EVENT that names the index and the field of what is wrong. */
  take(item: unknown, index: number): void
  /** Of all that was taken. */
  judged(): JudgedBatch
}

/** All at once, more of them in a process that has just started took a tenth of a second (row 8 of docs/performance.md). */
const itemsAtOnce = 250

/** Judges 250 items between two turns. A promise only where there are more; throws, then or at once, what the judge throws. */
export function judgeInTurns(
  judge: BatchJudge,
  items: readonly unknown[],
  nextTurn: () => Promise<void>,
): Promise<void> | undefined {
  if (items.length > itemsAtOnce) return judgeMany(judge, items, nextTurn)
  judgeFrom(judge, items, 0)
  return undefined
}

async function judgeMany(
  judge: BatchJudge,
  items: readonly unknown[],
  nextTurn: () => Promise<void>,
): Promise<void> {
  for (let start = 0; start < items.length; start += itemsAtOnce) {
    if (start > 0) await nextTurn()
    judgeFrom(judge, items, start)
  }
}

function judgeFrom(judge: BatchJudge, items: readonly unknown[], start: number): void {
  const end = Math.min(start + itemsAtOnce, items.length)
  for (let i = start; i < end; i++) judge.take(items[i], i)
}
