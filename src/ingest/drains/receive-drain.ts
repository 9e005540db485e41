/** Records a delivery of a drain. Each request is recorded once, even if the same delivery or the same request arrives again. */
import Type, { type Static } from 'typebox'
import { ignoreReasons } from '../../detection/detector.ts'
import type { Account, Site } from '../../domain/account.ts'
import type { DrainKind, NewEvent } from '../../domain/event.ts'
import type { Plan } from '../../domain/plan.ts'
import type { EventStore, Intake } from '../../storage/event-store.ts'
import { LoadCounter } from '../daily-load.ts'
import { importReport } from '../logs/import-report.ts'
import { requireRecorded } from '../record.ts'
import type { MemoryClaim } from './memory-budget.ts'
import { type DrainParts, type ReadDrain, readDrain } from './read-drain.ts'

export const DrainReport = Type.Object(
  {
    received: Type.Integer({ description: 'Entries in the delivery.' }),
    recorded: Type.Object({ bot: Type.Integer(), referral: Type.Integer() }),
    ignored: Type.Record(Type.String(), Type.Integer(), {
      description: `Counts by reason: ${ignoreReasons.join(', ')}.`,
    }),
    malformed: Type.Integer({ description: 'Entries that cannot be read.' }),
    duplicate: Type.Integer({ description: 'Requests that were recorded before.' }),
    other: Type.Integer({ description: 'Entries of no request, such as the output of a build.' }),
  },
  { title: 'DrainReport', description: 'Every entry is in exactly one of the counts below `received`.' },
)
export type DrainReport = Static<typeof DrainReport>

export interface Delivery {
  readonly kind: DrainKind
  readonly site: Site
  readonly account: Account
  readonly plan: Plan
  /** As it was sent, compressed or not. */
  readonly body: Buffer
  /** The same for every repeat of this delivery, and no other. */
  readonly id: string
  readonly memory: MemoryClaim
}

/**
 * Classifies and records, durably once this has resolved; gives the report as JSON. Throws what readDrain throws, and
 * LIMIT_EXCEEDED, SITE_NOT_FOUND; nothing is recorded then.
 */
export async function receiveDrain(
  store: EventStore,
  parts: DrainParts,
  delivery: Delivery,
): Promise<{ response: string; replayed: boolean }> {
  const { kind, site, account, plan, body, id, memory } = delivery
  const now = parts.clock()
  let read = withoutRepeats(await readDrain(parts, kind, site.domain, body, memory), new Set())
  for (;;) {
    const report = reportOf(read)
    const response = JSON.stringify(report)
    const outcome = await store.append({
      site: site.number,
      account: account.number,
      events: read.events,
      now,
      monthlyLimit: plan.eventsPerMonth,
      onceKeys: read.names.filter(name => name !== null).map(name => `${kind} ${name}`),
      intake: intakeOf(kind, report, read),
      // Of a delivery without events nothing is written, and a repeat of it does no harm. The key has a space, which no
      // Idempotency-Key of a sender has.
      ...(read.events.length > 0 && {
        idempotency: { key: `drain ${kind} ${id}`, bodyHash: '', response },
      }),
    })
    if (outcome.outcome === 'replayed') return { response: outcome.response, replayed: true }
    if (outcome.outcome !== 'known-keys') {
      requireRecorded(outcome, now)
      return { response, replayed: false }
    }
    read = withoutRepeats(read, new Set(outcome.keys.map(key => key.slice(kind.length + 1))))
  }
}

/** Leaves out events of requests that are known, and all but the first of each request; they become duplicates. */
function withoutRepeats(read: ReadDrain, known: Set<string>): ReadDrain {
  const { tally } = read
  const recorded = { ...tally.recorded }
  let { duplicate } = tally
  const events: NewEvent[] = []
  const names: (string | null)[] = []
  read.events.forEach((event, at) => {
    const name = read.names[at]!
    if (name !== null && known.has(name)) {
      recorded[event.type as 'bot' | 'referral']--
      duplicate++
      return
    }
    if (name !== null) known.add(name)
    events.push(event)
    names.push(name)
  })
  return { ...read, events, names, tally: { ...tally, recorded, duplicate } }
}

function intakeOf(
  source: DrainKind,
  { ignored, malformed, duplicate, other }: DrainReport,
  { events, load }: ReadDrain,
): Intake {
  const loadOfEvents = new LoadCounter()
  for (const event of events) loadOfEvents.addEvent(event)
  return {
    source,
    ignored: { ...ignored, ...(malformed > 0 && { malformed }), ...(other > 0 && { 'no-request': other }) },
    duplicates: duplicate,
    load: [...load, ...loadOfEvents.take()],
  }
}

function reportOf({ tally, others }: ReadDrain): DrainReport {
  const { lines, recorded, ignored, malformed, duplicate } = importReport(tally, 0, 0)
  return {
    received: lines,
    recorded,
    ignored: ignored as DrainReport['ignored'],
    malformed: malformed - others,
    duplicate,
    other: others,
  }
}
