/** Takes the items of a batch one by one, so that other requests have a turn during a long batch. */
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
