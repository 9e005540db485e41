/**
 * The one way by which requests become events, whatever source reports them: classify, locate, and name the client by which the
 * same request is known when another source reports it too. Each step has a function of its own; `openPipeline` lists
 * them in their order.
 */
import type { Detector, IgnoredVerdict, IgnoreReason, Verdict } from '../detection/detector.ts'
import { pagePath } from '../detection/page-path.ts'
import { ownCopy, rememberRecent } from '../detection/remember-recent.ts'
import { countryCode } from '../domain/country.ts'
import { type NewEvent, type Source, unknownCountry } from '../domain/event.ts'
import type { LoadKind } from '../storage/event-store.ts'
import { clientOf } from './client-address.ts'
import type { CountryLookup } from './country.ts'
import { createProvenances } from './provenance.ts'
import type { RequestRecord } from './request-record.ts'

export interface IngestParts {
  readonly detector: Detector
  readonly countryOf: CountryLookup
}

/** What became of a request. `load` says what it counts as in the load of its site, event or not. */
export type Ingested =
  | { readonly event: NewEvent; readonly load: LoadKind }
  | { readonly ignored: IgnoreReason; readonly load: LoadKind }

export type Pipeline = (request: RequestRecord) => Ingested

const rememberedClients = 10_000

/** For the requests of one site that one source reports. It remembers recent clients and provenances: open one a batch or log. */
export function openPipeline(parts: IngestParts, siteDomain: string, source: Source): Pipeline {
  const { detector } = parts
  const provenanceOf = createProvenances(source, detector.catalogueVersion)
  const dedupeClient = rememberRecent(clientIn, rememberedClients)

  return request => {
    const verdict = classify(detector, request, siteDomain)
    if (verdict.kind === 'ignored') {
      return { ignored: verdict.reason, load: loadOfIgnored(detector, verdict, request) }
    }
    const isBot = verdict.kind === 'bot'
    const event: NewEvent = {
      type: verdict.kind,
      name: isBot ? verdict.name : verdict.source,
      company: isBot ? verdict.company : '',
      path: pagePath(request.url),
      country: locate(parts.countryOf, request, source),
      createdAt: request.timeMs,
      value: null,
      status: request.status,
      bytes: request.bytes,
      durationMs: request.durationMs,
      provenance: provenanceOf(request.userAgent, request.referrer, verdict.rule),
      ...dedupeClient(request.address),
    }
    return { event, load: isBot ? 'ai-bot' : 'assistant-click' }
  }
}

function classify(
  detector: Detector,
  { method, url, status, userAgent, referrer }: RequestRecord,
  siteDomain: string,
): Verdict {
  return detector.classify({ method, url, status, userAgent, referrer, siteDomain })
}

/**
 * Senders of hits know the country of their visitor, and the address may be that of a proxy. In logs the address goes first, and
 * the country that the log names is for where it is not known.
 */
function locate(countryOf: CountryLookup, { country, address }: RequestRecord, source: Source): string {
  if (source === 'hits' && country !== '') return countryCode(country)
  const located = countryOf(address)
  return located === unknownCountry ? countryCode(country) : located
}

/** Nothing where the address is not known. */
function clientIn(address: string): Pick<NewEvent, 'client'> {
  const client = clientOf(address)
  return client === null ? {} : { client: ownCopy(client) }
}

const loadKindOf: Readonly<Record<IgnoreReason, LoadKind>> = {
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

function loadOfIgnored(
  detector: Detector,
  { reason }: IgnoredVerdict,
  { userAgent }: RequestRecord,
): LoadKind {
  // A forged name says nothing true about the robot.
  const mayBeSearchBot = reason === 'other-robot' || reason === 'not-counted-bot'
  return mayBeSearchBot && detector.isSearchBot(userAgent) ? 'search-bot' : loadKindOf[reason]
}
