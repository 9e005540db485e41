/** Raw requests as trackers send them, and how each becomes an event or a counted reason to ignore it. */
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { ignoreReasons } from '../detection/detector.ts'
import type { Site } from '../domain/account.ts'
import type { NewEvent } from '../domain/event.ts'
import { describeProblem } from './describe-problem.ts'
import type { BatchResult, IncomingBatch } from './incoming-batch.ts'
import { Pipeline, type PipelineParts } from './pipeline.ts'
import { readBytes, readMilliseconds } from './request-record.ts'
import { invalidEvent, requireTime } from './sent-event.ts'

const headerLengthMax = 8_192

export const SentHit = Type.Object(
  {
    method: Type.Optional(Type.String({ maxLength: 20, description: 'GET when left out.' })),
    url: Type.String({
      minLength: 1,
      maxLength: headerLengthMax,
      description: 'Absolute URL or path, with its query.',
    }),
    status: Type.Optional(Type.Union([Type.Integer({ minimum: 100, maximum: 999 }), Type.Null()])),
    user_agent: Type.String({ maxLength: headerLengthMax }),
    referrer: Type.Optional(Type.Union([Type.String({ maxLength: headerLengthMax }), Type.Null()])),
    ip: Type.Optional(
      Type.Union([Type.String({ maxLength: 100 }), Type.Null()], {
        description:
          'Client address: used to find the country and to count a request once that another way in reports too; never stored.',
      }),
    ),
    country: Type.Optional(
      Type.Union([Type.String({ maxLength: 100 }), Type.Null()], {
        description:
          'ISO 3166-1 country code, when the sender knows it; goes before `ip`. Anything else, such as `T1` for Tor, counts as unknown.',
      }),
    ),
    bytes: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description: 'Bytes of the response body.' }),
    ),
    duration_ms: Type.Optional(
      Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
        description: 'Milliseconds that the site took to answer.',
      }),
    ),
    timestamp: Type.Optional(
      Type.String({
        description: 'ISO 8601 with a zone, at most 24 h ahead; the time of recording when left out.',
        examples: ['2026-01-31T09:30:00Z'],
      }),
    ),
  },
  {
    title: 'SentHit',
    description: 'Other fields are passed over, so that a newer tracker can talk to an older server.',
  },
)
export type SentHit = Static<typeof SentHit>

export const HitsReport = Type.Object(
  {
    received: Type.Integer(),
    recorded: Type.Object({ bot: Type.Integer(), referral: Type.Integer() }),
    ignored: Type.Record(Type.String(), Type.Integer(), {
      description: `Counts by reason: ${ignoreReasons.join(', ')}.`,
    }),
  },
  {
    title: 'HitsReport',
    description: 'Every hit is in exactly one of the counts below `recorded` and `ignored`.',
  },
)
export type HitsReport = Static<typeof HitsReport>

const validator = Compile(SentHit)

const knownFields = new Set(Object.keys(SentHit.properties))

/** Takes each hit through the pipeline. */
export class SentHitBatch implements IncomingBatch {
  readonly #events: NewEvent[] = []
  readonly #report: HitsReport = { received: 0, recorded: { bot: 0, referral: 0 }, ignored: {} }
  readonly #pipeline: Pipeline
  readonly #site: Site
  readonly #now: number
  #unknownFields = 0

  constructor(parts: PipelineParts, site: Site, now: number) {
    this.#pipeline = new Pipeline(parts, 'hits')
    this.#site = site
    this.#now = now
  }

  take(item: unknown, index: number): void {
    const hit = requireHit(item, index)
    const { timestamp } = hit
    const timeMs = timestamp === undefined ? this.#now : requireTime(index, 'timestamp', timestamp, this.#now)
    this.#report.received++
    for (const name of Object.keys(hit)) if (!knownFields.has(name)) this.#unknownFields++
    const result = this.#pipeline.process({
      method: hit.method ?? 'GET',
      url: hit.url,
      status: hit.status ?? null,
      userAgent: hit.user_agent,
      referrer: hit.referrer ?? '',
      siteDomain: this.#site.domain,
      address: hit.ip ?? '',
      country: hit.country ?? '',
      timeMs,
      bytes: readBytes(hit.bytes),
      durationMs: readMilliseconds(hit.duration_ms),
    })
    if (typeof result === 'string') {
      const { ignored } = this.#report
      ignored[result] = (ignored[result] ?? 0) + 1
      return
    }
    this.#report.recorded[result.type as 'bot' | 'referral']++
    this.#events.push(result)
  }

  result(): BatchResult {
    return {
      events: this.#events,
      ignored: this.#report.ignored,
      unknownFields: this.#unknownFields,
      load: this.#pipeline.takeLoad(),
      report: this.#report,
    }
  }
}

function requireHit(item: unknown, index: number): SentHit {
  if (validator.Check(item)) return item
  const { field, problem } = describeProblem(validator.Errors(item), item)
  throw invalidEvent(index, field, problem)
}
