/** From the bytes of a batch to its events: what a request to `/events` or `/hits` brings, read and classified in one go. */
import type { Detector } from '../detection/detector.ts'
import type { Site } from '../domain/account.ts'
import { readBatch } from './batch-body.ts'
import type { BatchJudge, JudgedBatch } from './judge-batch.ts'
import { SentEventJudge } from './sent-event.ts'
import { HitJudge } from './sent-hit.ts'

export type BatchKind = 'events' | 'hits'

export interface BatchParts {
  readonly detector: Detector
  readonly countryOf: (address: string) => string
}

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
export function classifyBatch(parts: BatchParts, { kind, body, isLines, site, now }: SentBatch): JudgedBatch {
  const batch: BatchJudge =
    kind === 'events' ? new SentEventJudge(parts.detector, now) : new HitJudge(parts, site, now)
  const items = readBatch(body, isLines)
  for (const [index, item] of items.entries()) batch.take(item, index)
  return batch.judged()
}
