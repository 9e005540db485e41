/** Raw requests as trackers send them, and how each becomes an event or a counted reason to ignore it. */
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Detector, ignoreReasons, type Visit } from '../detection/detector.ts'
import { pagePath } from '../detection/page-path.ts'
import type { Site } from '../domain/account.ts'
import type { NewEvent, Provenance } from '../domain/event.ts'
import { describeProblem } from './describe-problem.ts'
import { inTurns } from './in-turns.ts'
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

/** Judges hits of a site in turns. Throws INVALID_EVENT that names the index and the field of the first bad hit. */
export function* judgeHits(
  parts: HitParts,
  site: Site,
  items: readonly unknown[],
  now: number,
): Generator<void, { events: NewEvent[]; report: HitsReport }> {
  const report: HitsReport = { received: items.length, recorded: { bot: 0, referral: 0 }, ignored: {} }
  const events: NewEvent[] = []
  const provenances = new ProvenanceMemory()
  yield* inTurns(items, (item, index) => {
    const hit = requireHit(item, index)
    const time = hit.timestamp === undefined ? now : requireTime(index, 'timestamp', hit.timestamp, now)
    const visit: Visit = {
      method: hit.method ?? 'GET',
      url: hit.url,
      status: hit.status ?? null,
      userAgent: hit.user_agent,
      referrer: hit.referrer ?? '',
      siteDomain: site.domain,
    }
    const verdict = parts.detector.classify(visit)
    if (verdict.kind === 'ignored') {
      report.ignored[verdict.reason] = (report.ignored[verdict.reason] ?? 0) + 1
      return
    }
    report.recorded[verdict.kind]++
    events.push({
      ...subjectOf(verdict),
      path: pagePath(hit.url),
      country: hit.country?.toUpperCase() ?? parts.countryOf(hit.ip ?? ''),
      createdAt: time,
      value: null,
      provenance: provenances.of(visit, verdict.rule, parts.detector.catalogueVersion),
      ...clientIn(hit.ip ?? ''),
    })
  })
  return { events, report }
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
