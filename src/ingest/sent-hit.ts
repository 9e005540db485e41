/** Raw requests as trackers send them, and how each becomes an event or a counted reason to ignore it. */
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Detector, ignoreReasons, type Visit } from '../detection/detector.ts'
import { pagePath } from '../detection/page-path.ts'
import type { Site } from '../domain/account.ts'
import type { NewEvent, Provenance } from '../domain/event.ts'
import { describeProblem } from './describe-problem.ts'
import type { BatchJudge, JudgedBatch } from './judge-batch.ts'
import { invalidEvent, requireTime } from './sent-event.ts'
import { clientIn, provenanceOf, subjectOf } from './visit-event.ts'

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
    bytes: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
    duration_ms: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
    user_agent: Type.String({ maxLength: headerLengthMax }),
    referrer: Type.Optional(Type.Union([Type.String({ maxLength: headerLengthMax }), Type.Null()])),
    ip: Type.Optional(
      Type.Union([Type.String({ maxLength: 100 }), Type.Null()], {
        description:
          'Client address: used to find the country and to count a request once that another way in reports too; never stored.',
      }),
    ),
    country: Type.Optional(
      Type.Union([Type.String({ pattern: '^[A-Za-z]{2}$' }), Type.Null()], {
        description: 'ISO 3166-1 country code, when the sender knows it; goes before `ip`.',
      }),
    ),
    timestamp: Type.Optional(
      Type.String({
        description: 'ISO 8601 with a zone, at most 24 h ahead; the time of recording when left out.',
        examples: ['2026-01-31T09:30:00Z'],
      }),
    ),
  },
  { additionalProperties: false, title: 'SentHit' },
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

export interface HitParts {
  readonly detector: Detector
  /** ISO code of an address, `ZZ` when unknown. */
  readonly countryOf: (address: string) => string
}

/** Asks the detector about each hit. */
export class HitJudge implements BatchJudge {
  readonly #events: NewEvent[] = []
  readonly #report: HitsReport = { received: 0, recorded: { bot: 0, referral: 0 }, ignored: {} }
  readonly #parts: HitParts
  readonly #site: Site
  readonly #now: number
  readonly #provenances = new ProvenanceMemory()

  constructor(parts: HitParts, site: Site, now: number) {
    this.#parts = parts
    this.#site = site
    this.#now = now
  }

  take(item: unknown, index: number): void {
    const { detector, countryOf } = this.#parts
    const hit = requireHit(item, index)
    const { timestamp } = hit
    const time = timestamp === undefined ? this.#now : requireTime(index, 'timestamp', timestamp, this.#now)
    this.#report.received++
    const visit: Visit = {
      method: hit.method ?? 'GET',
      url: hit.url,
      status: hit.status ?? null,
      userAgent: hit.user_agent,
      referrer: hit.referrer ?? '',
      siteDomain: this.#site.domain,
    }
    const verdict = detector.classify(visit)
    if (verdict.kind === 'ignored') {
      const { ignored } = this.#report
      ignored[verdict.reason] = (ignored[verdict.reason] ?? 0) + 1
      return
    }
    this.#report.recorded[verdict.kind]++
    this.#events.push({
      ...subjectOf(verdict),
      path: pagePath(hit.url),
      country: hit.country?.toUpperCase() ?? countryOf(hit.ip ?? ''),
      createdAt: time,
      value: null,
      provenance: this.#provenances.of(visit, verdict.rule, detector.catalogueVersion),
      ...clientIn(hit.ip ?? ''),
    })
  }

  judged(): JudgedBatch {
    return { events: this.#events, ignored: this.#report.ignored, report: this.#report }
  }
}

function requireHit(item: unknown, index: number): SentHit {
  if (validator.Check(item)) return item
  const { field, problem } = describeProblem(validator.Errors(item), item)
  throw invalidEvent(index, field, problem)
}

/** Hits of one batch share few provenances; the store recognises the same object cheaply. */
class ProvenanceMemory {
  readonly #known = new Map<string, Provenance>()

  of(visit: Visit, rule: string, catalogueVersion: string): Provenance {
    const key = `${visit.status}\n${visit.referrer}\n${rule}\n${visit.userAgent}`
    let provenance = this.#known.get(key)
    if (!provenance) {
      provenance = provenanceOf(visit, { arrival: 'hits', rule, catalogueVersion })
      this.#known.set(key, provenance)
    }
    return provenance
  }
}
