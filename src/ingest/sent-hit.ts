/** Checks raw requests that trackers send, and turns each into an event or a counted reason to ignore it. */
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { ignoreReasons } from '../detection/detector.ts'
import type { Site } from '../domain/account.ts'
import type { NewEvent } from '../domain/event.ts'
import { LoadCounter } from './daily-load.ts'
import { describeProblem } from './describe-problem.ts'
import type { BatchResult, IncomingBatch } from './incoming-batch.ts'
import { type IngestParts, openPipeline, type Pipeline } from './pipeline.ts'
import { bytesMax, durationMsMax, type RequestRecord } from './request-record.ts'
import { createTimeReader, invalidEvent, type ReadTime } from './sent-time.ts'

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
          'Client address: used to find the country and to count a request once that another source reports too; never stored.',
      }),
    ),
    country: Type.Optional(
      Type.Union([Type.String({ maxLength: 100 }), Type.Null()], {
        description:
          'ISO 3166-1 country code, when the sender knows it; goes before `ip`. Anything else is kept as ZZ (unknown).',
      }),
    ),
    timestamp: Type.Optional(
      Type.String({
        description: 'ISO 8601 with a zone, at most 24 h ahead; the time of recording when left out.',
        examples: ['2026-01-31T09:30:00Z'],
      }),
    ),
    bytes: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: bytesMax }), Type.Null()], {
        description: 'Bytes of the response body.',
      }),
    ),
    duration_ms: Type.Optional(
      Type.Union([Type.Number({ minimum: 0, maximum: durationMsMax }), Type.Null()], {
        description: 'Milliseconds that the answer took; kept in whole milliseconds.',
      }),
    ),
  },
  {
    title: 'SentHit',
    description: 'Fields that this version does not know are ignored, and counted in the health of the data.',
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
const knownFields: ReadonlySet<string> = new Set(Object.keys(SentHit.properties))

/** Sends each hit through the pipeline. */
export class SentHitBatch implements IncomingBatch {
  readonly #events: NewEvent[] = []
  readonly #report: HitsReport = { received: 0, recorded: { bot: 0, referral: 0 }, ignored: {} }
  readonly #load = new LoadCounter()
  readonly #pipeline: Pipeline
  readonly #readTime: ReadTime
  readonly #now: number
  #unknownFields = 0

  constructor(parts: IngestParts, site: Site, now: number) {
    this.#pipeline = openPipeline(parts, site.domain, 'hits')
    this.#readTime = createTimeReader(now)
    this.#now = now
  }

  take(item: unknown, index: number): void {
    const hit = requireHit(item, index)
    const { timestamp } = hit
    const timeMs = timestamp === undefined ? this.#now : this.#readTime(index, 'timestamp', timestamp)
    this.#report.received++
    for (const field in hit) if (!knownFields.has(field)) this.#unknownFields++

    const request = requestOf(hit, timeMs)
    const ingested = this.#pipeline(request)
    this.#load.add(ingested.load, request)
    if ('event' in ingested) {
      this.#report.recorded[ingested.event.type as 'bot' | 'referral']++
      this.#events.push(ingested.event)
    } else {
      const { ignored } = this.#report
      ignored[ingested.ignored] = (ignored[ingested.ignored] ?? 0) + 1
    }
  }

  result(): BatchResult {
    const report = this.#report
    return {
      events: this.#events,
      ignored: report.ignored,
      unknownFields: this.#unknownFields,
      load: this.#load.take(),
      report,
    }
  }
}

function requireHit(item: unknown, index: number): SentHit {
  if (validator.Check(item)) return item
  const { field, problem } = describeProblem(validator.Errors(item), item)
  throw invalidEvent(index, field, problem)
}

const requestOf = (hit: SentHit, timeMs: number): RequestRecord => ({
  method: hit.method ?? 'GET',
  url: hit.url,
  status: hit.status ?? null,
  userAgent: hit.user_agent,
  referrer: hit.referrer ?? '',
  address: hit.ip ?? '',
  country: hit.country ?? '',
  timeMs,
  bytes: hit.bytes ?? null,
  durationMs: hit.duration_ms == null ? null : Math.round(hit.duration_ms),
})
