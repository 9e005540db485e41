/**
 * Gathers deliveries that recorded nothing and stores their counts every few seconds. A commit for each would let strangers keep the disk
 * busy. A crash loses the counts of those seconds, but no events.
 */
import type { DailyLoad, Intake, Rejection } from '../event-store.ts'
import { type Delivery, deliveryOf, type Refusals } from './health-ledger.ts'
import type { Writer } from './writer.ts'

const flushIntervalMs = 3_000

export class UnrecordedIntakes {
  readonly #writer: Writer
  #deliveries = new Map<string, Delivery>()
  #refusals = new Map<string, Refusals>()
  #timer: NodeJS.Timeout | null = null
  #flushing: Promise<void> = Promise.resolve()

  constructor(writer: Writer) {
    this.#writer = writer
  }

  addIgnored(site: number, now: number, intake: Intake): void {
    this.#addDelivery(deliveryOf(site, now, intake))
  }

  /** Counts all items of an intake as duplicates. */
  addReplayed(site: number, now: number, events: number, { source, ignored, duplicates }: Intake): void {
    const others = Object.values(ignored).reduce((sum, count) => sum + count, duplicates)
    this.#addDelivery(deliveryOf(site, now, { source, ignored: {}, duplicates: events + others }))
  }

  addRejected(site: number, { source, reason, now }: Rejection): void {
    this.#addRefusals({ site, source, now, rejected: 1, reason })
  }

  /** Resolves when the gathered counts are stored, or when storing them has failed and they wait for the next attempt. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#store())
    return this.#flushing
  }

  #addDelivery(delivery: Delivery): void {
    const key = `${delivery.site} ${delivery.source}`
    const known = this.#deliveries.get(key)
    this.#deliveries.set(key, known ? sumOf(known, delivery) : delivery)
    this.#startTimer()
  }

  #addRefusals(refusals: Refusals): void {
    const key = `${refusals.site} ${refusals.source}`
    const known = this.#refusals.get(key)
    const latest = known && known.now > refusals.now ? known : refusals
    this.#refusals.set(key, { ...latest, rejected: (known?.rejected ?? 0) + refusals.rejected })
    this.#startTimer()
  }

  #startTimer(): void {
    this.#timer ??= setTimeout(() => this.flush(), flushIntervalMs).unref()
  }

  async #store(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#deliveries.size === 0 && this.#refusals.size === 0) return
    const [deliveries, refusals] = [[...this.#deliveries.values()], [...this.#refusals.values()]]
    this.#deliveries = new Map()
    this.#refusals = new Map()
    try {
      await this.#writer.run('addIntakes', [deliveries, refusals])
    } catch {
      // The disk is full or another process holds the file. The counts wait for the next attempt.
      for (const delivery of deliveries) this.#addDelivery(delivery)
      for (const each of refusals) this.#addRefusals(each)
    }
  }
}

function sumOf(a: Delivery, b: Delivery): Delivery {
  const ignored: Record<string, number> = { ...a.ignored }
  for (const [reason, count] of Object.entries(b.ignored)) ignored[reason] = (ignored[reason] ?? 0) + count
  return {
    ...a,
    now: Math.max(a.now, b.now),
    duplicates: a.duplicates + b.duplicates,
    unknownFields: a.unknownFields + b.unknownFields,
    ignored,
    load: sumOfLoads([...a.load, ...b.load]),
  }
}

function sumOfLoads(loads: readonly DailyLoad[]): DailyLoad[] {
  const sums = new Map<string, DailyLoad>()
  for (const load of loads) {
    const key = `${load.day} ${load.kind}`
    const { requests = 0, bytes = 0, durationMs = 0 } = sums.get(key) ?? {}
    sums.set(key, {
      ...load,
      requests: requests + load.requests,
      bytes: bytes + load.bytes,
      durationMs: durationMs + load.durationMs,
    })
  }
  return [...sums.values()]
}
