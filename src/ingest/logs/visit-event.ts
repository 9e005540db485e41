/** The event that a line of a log becomes when its visit counts, with all that later explains or re-judges it. */
import type { Verdict, Visit } from '../../detection/detector.ts'
import { pagePath } from '../../detection/page-path.ts'
import { rememberRecent } from '../../detection/remember-recent.ts'
import { webHost } from '../../detection/web-host.ts'
import type { NewEvent, Provenance } from '../../domain/event.ts'

export type CountedVerdict = Exclude<Verdict, { kind: 'ignored' }>

export type MakeEvent = (
  visit: Visit,
  verdict: CountedVerdict,
  country: string,
  createdAt: number,
) => NewEvent

/** What is kept of a user agent; a longer one is judged whole. */
const userAgentLengthMax = 1000

const rememberedPaths = 10_000

export function createEventMaker(catalogueVersion: string): MakeEvent {
  const provenances = new ProvenanceMemory(catalogueVersion)
  const ownPath = rememberRecent(ownText, rememberedPaths)

  return (visit, verdict, country, createdAt) => ({
    type: verdict.kind,
    name: verdict.kind === 'bot' ? verdict.name : verdict.source,
    company: verdict.kind === 'bot' ? verdict.company : '',
    path: ownPath(pagePath(visit.url)),
    country,
    createdAt,
    value: null,
    provenance: provenances.of(visit, verdict.rule),
  })
}

/** Lines of a log share few provenances, and the store recognises the same object cheaply. */
class ProvenanceMemory {
  readonly #catalogueVersion: string
  /** By user agent, rule, referrer and status: one look-up each costs less than one text of all four. */
  #known = new Map<string, Map<string, Map<string, Map<number | null, Provenance>>>>()
  #count = 0

  constructor(catalogueVersion: string) {
    this.#catalogueVersion = catalogueVersion
  }

  of({ userAgent, referrer, status }: Visit, rule: string): Provenance {
    return (
      this.#known.get(userAgent)?.get(rule)?.get(referrer)?.get(status) ??
      this.#remember(ownText(userAgent), rule, ownText(referrer), status)
    )
  }

  #remember(userAgent: string, rule: string, referrer: string, status: number | null): Provenance {
    const provenance: Provenance = {
      arrival: 'import',
      userAgent: userAgent.slice(0, userAgentLengthMax).toWellFormed(),
      referrerHost: webHost(referrer),
      status,
      rule,
      catalogueVersion: this.#catalogueVersion,
    }
    if (userAgent.length + referrer.length > longestRemembered) return provenance
    if (this.#count++ >= rememberedProvenances) {
      this.#known = new Map()
      this.#count = 0
    }
    const byReferrer = childOf(childOf(this.#known, userAgent), rule)
    childOf(byReferrer, referrer).set(status, provenance)
    return provenance
  }
}

const rememberedProvenances = 10_000
/** Characters of user agent and referrer; strangers must not fill the memory. */
const longestRemembered = 2000

function childOf<Key, ChildKey, Value>(
  parent: Map<Key, Map<ChildKey, Value>>,
  key: Key,
): Map<ChildKey, Value> {
  const child = parent.get(key) ?? new Map<ChildKey, Value>()
  parent.set(key, child)
  return child
}

/** Cut loose from the block of the log that it was read from, which it would keep in memory. */
const ownText = (text: string): string => Buffer.from(text).toString()
