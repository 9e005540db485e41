/**
 * The one way from a request, as any source tells it, to an event. The steps in order: classify (is it an AI visit?), normalise (what is kept of
 * it), locate (from which country?), identify (whose request is it, so that it counts once?). Each request ends as an event or as
 * the reason why it is none, and is counted in the daily load.
 */
import type { Detector, IgnoreReason, Verdict } from '../detection/detector.ts'
import { pagePath } from '../detection/page-path.ts'
import { ownCopy } from '../detection/remember-recent.ts'
import { countryCode } from '../domain/country.ts'
import { type NewEvent, type Source, unknownCountry } from '../domain/event.ts'
import type { DailyLoad, LoadKind, Subject } from '../storage/event-store.ts'
import { clientOf } from './client-address.ts'
import type { CountryLookup } from './country.ts'
import { LoadCounter } from './daily-load.ts'
import { createProvenances, type ProvenanceOf } from './provenance.ts'
import type { RequestRecord } from './request-record.ts'

export interface PipelineParts {
  readonly detector: Detector
  readonly countryOf: CountryLookup
}

type CountedVerdict = Exclude<Verdict, { kind: 'ignored' }>
type IgnoredVerdict = Extract<Verdict, { kind: 'ignored' }>

export class Pipeline {
  readonly #parts: PipelineParts
  readonly #provenanceOf: ProvenanceOf
  readonly #load = new LoadCounter()

  constructor(parts: PipelineParts, source: Source) {
    this.#parts = parts
    this.#provenanceOf = createProvenances(source, parts.detector.catalogueVersion)
  }

  process(request: RequestRecord): NewEvent | IgnoreReason {
    const verdict = this.#parts.detector.classify(request)
    this.#load.add(this.#loadKindOf(verdict, request), request)
    return verdict.kind === 'ignored' ? verdict.reason : this.#eventOf(verdict, request)
  }

  /** What the requests since the last call cost the site. */
  takeLoad(): DailyLoad[] {
    return this.#load.take()
  }

  #eventOf(verdict: CountedVerdict, request: RequestRecord): NewEvent {
    const client = clientOf(request.address)
    return {
      ...subjectOf(verdict),
      path: ownCopy(pagePath(request.url)),
      country: this.#locate(request),
      createdAt: request.timeMs,
      value: null,
      status: request.status,
      bytes: request.bytes,
      durationMs: request.durationMs,
      provenance: this.#provenanceOf(request.userAgent, request.referrer, verdict.rule),
      ...(client !== null && { client }),
    }
  }

  /** What the source says goes before what the address tells: a CDN knows better. */
  #locate({ country, address }: RequestRecord): string {
    const named = countryCode(country)
    return named === unknownCountry ? this.#parts.countryOf(address) : named
  }

  #loadKindOf(verdict: Verdict, request: RequestRecord): LoadKind {
    if (verdict.kind === 'bot') return 'ai-bot'
    if (verdict.kind === 'referral') return 'assistant-click'
    const kind = loadKinds[verdict.reason]
    return kind === 'other-robot' && this.#parts.detector.isSearchBot(request.userAgent) ? 'search-bot' : kind
  }
}

const loadKinds: Readonly<Record<IgnoredVerdict['reason'], LoadKind>> = {
  method: 'other',
  redirect: 'redirect',
  'static-asset': 'asset',
  'not-counted-bot': 'other-robot',
  'forged-bot': 'other-robot',
  'other-robot': 'other-robot',
  'no-user-agent': 'other-robot',
  'own-referrer': 'person',
  'no-assistant': 'person',
}

export const subjectOf = (verdict: CountedVerdict): Subject =>
  verdict.kind === 'bot'
    ? { type: 'bot', name: verdict.name, company: verdict.company }
    : { type: 'referral', name: verdict.source, company: '' }
