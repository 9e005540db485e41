/** Passes the batches of an import to the store while the next ones are prepared. */
import type { Clock } from '../../domain/clock.ts'
import { monthOf, secondsToNextMonth } from '../../domain/date-range.ts'
import { AppError } from '../../domain/errors.ts'
import type { AppendOutcome, EventStore, ImportProgress } from '../../storage/event-store.ts'
import type { ClassifiedLines } from './classify-lines.ts'
import { addTally, emptyTally, intakeOf, type Tally } from './import-report.ts'

export interface BatchTarget {
  readonly store: EventStore
  readonly clock: Clock
  readonly site: number
  readonly account: number
  /** Events of the account in a month; null is unlimited. */
  readonly monthlyLimit: number | null
}

export interface ImportBatch extends ClassifiedLines {
  /** Where the log stands behind these events; null when it stands where it stood. */
  readonly progress: ImportProgress | null
  /** Names the step that leads there, which only one import may take. */
  readonly step: string
}

const batchEventsMax = 40_960

/** Several only when logs are small: then the store can put many of them into one transaction. */
const batchesOnTheirWayMax = 32
const eventsOnTheirWayMax = 2 * batchEventsMax

export class BatchWriter {
  /** What is counted in the batches that are stored. */
  readonly stored: Tally = emptyTally()
  readonly #target: BatchTarget
  /** What the account may still record this month, as far as this import knows. */
  #room: number
  /** One that failed stays among them, so that nobody overlooks it. */
  readonly #onTheirWay = new Set<Promise<void>>()
  #eventsOnTheirWay = 0

  private constructor(target: BatchTarget, room: number) {
    this.#target = target
    this.#room = room
  }

  static async open(target: BatchTarget): Promise<BatchWriter> {
    const { store, account, monthlyLimit, clock } = target
    if (monthlyLimit === null) return new BatchWriter(target, Number.POSITIVE_INFINITY)
    const used = await store.usage(account, monthOf(clock()))
    return new BatchWriter(target, monthlyLimit - used)
  }

  /** Most events the next batch may have: with a quota, the last batch that fits uses it up to the last event. */
  get eventsMax(): number {
    return this.#room > 0 ? Math.min(batchEventsMax, this.#room) : batchEventsMax
  }

  /** Waits until a batch of so many events may be appended. Throws what an append threw. */
  async makeRoom(events: number): Promise<void> {
    while (this.#isFull(events)) await Promise.race(this.#onTheirWay)
  }

  /** Resolves when the batch is stored. Batches of one log must wait for each other, so that none is stored behind a refused one. */
  append(batch: ImportBatch): Promise<void> {
    const events = batch.events.length
    this.#room -= events
    this.#eventsOnTheirWay += events
    const stored = this.#append(batch).then(() => {
      this.#onTheirWay.delete(stored)
      this.#eventsOnTheirWay -= events
    })
    // The caller that awaits it sees the failure.
    stored.catch(() => {})
    this.#onTheirWay.add(stored)
    return stored
  }

  /** Waits until everything is stored. Throws what an append threw. */
  async drain(): Promise<void> {
    await Promise.all(this.#onTheirWay)
  }

  #isFull(events: number): boolean {
    const waiting = this.#onTheirWay.size
    return (
      waiting >= batchesOnTheirWayMax ||
      (waiting > 0 && this.#eventsOnTheirWay + events > eventsOnTheirWayMax)
    )
  }

  /** Not async, so that the events are let go as soon as the store has taken what it needs of them. */
  #append({ events, tally, load, progress, step }: ImportBatch): Promise<void> {
    const { store, clock, site, account, monthlyLimit } = this.#target
    const now = clock()
    const batch = { site, account, events, now, monthlyLimit, intake: intakeOf(tally, load) }
    return store
      .append(progress === null ? batch : { ...batch, importProgress: progress, onceKeys: [step] })
      .then(outcome => {
        if (outcome.outcome !== 'recorded') throw this.#refusal(outcome, now)
        addTally(this.stored, tally)
      })
  }

  #refusal(outcome: AppendOutcome, now: number): AppError {
    const error = refusal(outcome, this.stored, now)
    const { store, site } = this.#target
    if (outcome.outcome !== 'site-removed')
      store.countRejected(site, { source: 'import', reason: error.code, now })
    return error
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
  if (outcome.outcome === 'known-keys') {
    return new AppError(
      'OVERLOADED',
      'Another import of the same log is running. Nothing was counted twice. Run this one again when the other has ended: it goes on from there.',
      { retryAfterSeconds: 10 },
    )
  }
  return new AppError('SITE_NOT_FOUND', 'The site was removed while the log was being imported.')
}
