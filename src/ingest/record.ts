/** The last step of all recording over HTTP: quota, idempotency, and the store. */
import { hash } from 'node:crypto'
import type { Account, Site } from '../domain/account.ts'
import { secondsToNextMonth } from '../domain/date-range.ts'
import { AppError } from '../domain/errors.ts'
import type { NewEvent } from '../domain/event.ts'
import type { Plan } from '../domain/plan.ts'
import type { AppendOutcome, EventStore, Intake } from '../storage/event-store.ts'

export interface Recording {
  readonly site: Site
  readonly account: Account
  readonly plan: Plan
  readonly events: readonly NewEvent[]
  readonly intake: Intake
  readonly now: number
  /** What the sender is told; given back as it is to a repeat. */
  readonly response: string
  /** Key that the sender chose, and what a repeat must have in common. */
  readonly idempotency: { readonly key: string; readonly operation: string; readonly body: Buffer } | null
}

/**
 * Records events, durably once this has resolved, and gives the response to send.
 * Throws LIMIT_EXCEEDED, IDEMPOTENCY_MISMATCH, SITE_NOT_FOUND, OVERLOADED; nothing is recorded then.
 */
export function record(
  store: EventStore,
  { site, account, plan, events, intake, now, response, idempotency }: Recording,
): Promise<{ response: string; replayed: boolean }> {
  const appended = store.append({
    site: site.number,
    account: account.number,
    events,
    intake,
    now,
    monthlyLimit: plan.eventsPerMonth,
    ...(idempotency && {
      idempotency: {
        key: idempotency.key,
        bodyHash: hash(
          'sha256',
          Buffer.concat([Buffer.from(`${idempotency.operation}\n`), idempotency.body]),
          'base64url',
        ),
        response,
      },
    }),
  })
  return appended.then(outcome => {
    if (outcome.outcome === 'replayed') return { response: outcome.response, replayed: true }
    requireRecorded(outcome, now)
    return { response, replayed: false }
  })
}

/** Throws what a sender must be told when an append was refused. */
export function requireRecorded(outcome: AppendOutcome, now: number): void {
  switch (outcome.outcome) {
    case 'over-quota':
      throw new AppError(
        'LIMIT_EXCEEDED',
        `This month's quota is ${outcome.limit} events, ${outcome.used} of them used: the batch does not fit. Nothing was recorded.`,
        { retryAfterSeconds: secondsToNextMonth(now) },
      )
    case 'idempotency-mismatch':
      throw new AppError(
        'IDEMPOTENCY_MISMATCH',
        'This Idempotency-Key was used for another body in the last 24 h. Nothing was recorded.',
      )
    case 'known-keys':
      throw new Error('A batch without keys of single requests was told of some.')
    case 'site-removed':
      throw new AppError('SITE_NOT_FOUND', 'No site of this account has the id in the path.')
  }
}
