/** What the items of a batch come to, whether they are events or hits. */
import type { NewEvent } from '../domain/event.ts'
import type { DailyLoad } from '../storage/event-store.ts'

export interface BatchResult {
  readonly events: readonly NewEvent[]
  /** Items that are no events, by reason. */
  readonly ignored: Readonly<Record<string, number>>
  /** Fields that this version does not know, of all items together. */
  readonly unknownFields: number
  readonly load: readonly DailyLoad[]
  /** Acknowledges the batch. */
  readonly report: object
}

export interface IncomingBatch {
  /** Throws INVALID_EVENT that names the index and the field of what is wrong. */
  take(item: unknown, index: number): void
  /** Of all that was taken. */
  result(): BatchResult
}
