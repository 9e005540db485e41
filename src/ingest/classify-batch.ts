/** Turns the bytes of a batch sent to `/events` or `/hits` into events. */
import type { Site } from '../domain/account.ts'
import { readBatch } from './batch-body.ts'
import type { BatchResult, IncomingBatch } from './incoming-batch.ts'
import type { IngestParts } from './pipeline.ts'
import { SentEventBatch } from './sent-event.ts'
import { SentHitBatch } from './sent-hit.ts'

export type BatchKind = 'events' | 'hits'

export interface SentBatch {
  readonly kind: BatchKind
  readonly body: Uint8Array
  /** Whether it is NDJSON. */
  readonly isLines: boolean
  readonly site: Site
  /** The moment of recording. */
  readonly now: number
}

/** Throws INVALID_JSON, PAYLOAD_TOO_LARGE and INVALID_EVENT, which name the place of what is wrong. */
export function classifyBatch(
  parts: IngestParts,
  { kind, body, isLines, site, now }: SentBatch,
): BatchResult {
  const batch: IncomingBatch =
    kind === 'events' ? new SentEventBatch(parts.detector, now) : new SentHitBatch(parts, site, now)
  const items = readBatch(body, isLines)
  for (const [index, item] of items.entries()) batch.take(item, index)
  return batch.result()
}
