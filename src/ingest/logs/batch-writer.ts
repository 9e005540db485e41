/** Hands batches of an import to the store, one after the other, while the next ones are being made. */
import type { Clock } from '../../domain/clock.ts'
import { monthOf, secondsToNextMonth } from '../../domain/date-range.ts'
import { AppError } from '../../domain/errors.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { AppendOutcome, EventStore, ImportProgress } from '../../storage/event-store.ts'
import { addTally, emptyTally, type Tally } from './import-report.ts'

export interface BatchTarget {
  readonly store: EventStore
  readonly clock: Clock
  readonly site: number
  readonly account: number
  /** Events of the account in a month; null is unlimited. */
  readonly monthlyLimit: number | null
}

export interface ImportBatch {
  readonly events: readonly NewEvent[]
  readonly tally: Tally
  /** Where the log stands behind these events; null when it stands where it stood. */
  readonly progress: ImportProgress | null
}

/** What is on its way to the store, and as many events again that are gathered meanwhile, are kept in memory. */
const batchEventsMax = 65_536

export class BatchWriter {
  /** What is counted in the batches that are stored. */
  readonly stored: Tally = emptyTally()
  readonly #target: BatchTarget
  /** What the account may still record this month, as far as this import knows. */
  #room: number
  #onItsWay: Promise<void> | null = null

  private constructor(target: BatchTarget, room: number) {
    this.#target = target
    this.#room = room
  }

  static async open(target: BatchTarget): Promise<BatchWriter> {
    const { store, account, monthlyLimit, clock } = target
    if (monthlyLimit === null) return new BatchWriter(target, Number.POSITIVE_INFINITY)
    const { total } = await store.usage(account, monthOf(clock()))
    return new BatchWriter(target, monthlyLimit - total)
  }

  /** Whether nothing is on its way, so that the next batch would be stored at once. */
  get isIdle(): boolean {
    return this.#onItsWay === null
  }

  /** Most events the next batch may have: with a quota, the last batch that fits uses it up to the last event. */
  get eventsMax(): number {
    return this.#room > 0 ? Math.min(batchEventsMax, this.#room) : batchEventsMax
  }

  /**
   * Takes a batch as soon as the one before is stored, so that none can be stored behind one that was refused. Throws
   * what the append before threw.
   */
  async write(batch: ImportBatch): Promise<void> {
    await this.drain()
    this.#room -= batch.events.length
    this.#onItsWay = this.#append(batch)
    this.#onItsWay.then(
      () => {
        this.#onItsWay = null
      },
      // It stays what it is: whoever writes or drains next sees the failure.
      () => {},
    )
  }

  /** Waits until everything is stored. Throws what an append threw. */
  async drain(): Promise<void> {
    await this.#onItsWay
  }

  /** Not async, so that the events are let go as soon as the store has taken what it needs of them. */
  #append({ events, tally, progress }: ImportBatch): Promise<void> {
    if (progress === null) {
      addTally(this.stored, tally)
      return Promise.resolve()
    }
    const { store, clock, site, account, monthlyLimit } = this.#target
    const now = clock()
    return store
      .append({ site, account, events, now, monthlyLimit, importProgress: progress })
      .then(outcome => {
        if (outcome.outcome !== 'recorded') throw refusal(outcome, this.stored, now)
        addTally(this.stored, tally)
      })
  }
}

function refusal(outcome: AppendOutcome, stored: Tally, now: number): AppError {
  if (outcome.outcome === 'over-quota') {
    const recorded = stored.recorded.bot + stored.recorded.referral
    return new AppError(
      'LIMIT_EXCEEDED',
      `The account may record ${outcome.limit} events a month, and ${outcome.used} are used. This import recorded ${recorded}; next month, or with another plan, run the same command again: it goes on where it stopped.`,
      { retryAfterSeconds: secondsToNextMonth(now) },
    )
  }
  return new AppError('SITE_NOT_FOUND', 'The site was removed while the log was being imported.')
}
