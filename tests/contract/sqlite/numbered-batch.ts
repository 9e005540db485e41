/** Batches that can be told apart once they are stored: by number, complete or not. */
import assert from 'node:assert/strict'
import { hourMs } from '../../../src/domain/date-range.ts'
import type { EventBatch, ListedEvent } from '../../../src/storage/event-store.ts'
import { batchOf, botEvent, conversionEvent, noon, referralEvent } from '../sample-events.ts'

export const eventsPerBatch = 12

/** Events of all types, of many days and out of order, so that every kind of row is written. */
export function numberedBatch(site: number, number: number): EventBatch {
  const events = Array.from({ length: eventsPerBatch }, (_, i) =>
    [botEvent, referralEvent, conversionEvent][i % 3]!({
      path: `/batch/${number}/${i}`,
      name: `name ${(number + i) % 7}`,
      createdAt: noon - (((number * 7919 + i * 104_729) % 2_000) * hourMs) / 10,
      value: i % 3 === 2 ? 0.1 : null,
    }),
  )
  const idempotency = { key: `batch ${number}`, bodyHash: String(number), response: String(number) }
  return batchOf(site, events, { idempotency })
}

/** The numbers of the stored batches. Throws when one is there in part or twice. */
export function storedBatches(events: readonly ListedEvent[]): Set<number> {
  const paths = new Map<number, Set<string>>()
  for (const { path } of events) {
    const number = Number(path.split('/')[2])
    const known = paths.get(number) ?? new Set()
    assert.ok(!known.has(path), `${path} is there twice`)
    paths.set(number, known.add(path))
  }
  for (const [number, { size }] of paths)
    assert.equal(size, eventsPerBatch, `batch ${number} is there in part`)
  return new Set(paths.keys())
}
