/** The event that a line of a log becomes when its visit counts, with all that later explains or re-judges it. */
import type { Verdict, Visit } from '../../detection/detector.ts'
import { pagePath } from '../../detection/page-path.ts'
import { webHost } from '../../detection/web-host.ts'
import type { NewEvent, Provenance } from '../../domain/event.ts'
import { userAgentLengthMax } from '../sent-hit.ts'

export type CountedVerdict = Exclude<Verdict, { kind: 'ignored' }>

export type MakeEvent = (
  visit: Visit,
  verdict: CountedVerdict,
  country: string,
  createdAt: number,
) => NewEvent

/** Lines of a log share few provenances, and the store recognises the same object cheaply. */
const rememberedProvenances = 10_000

export function createEventMaker(catalogueVersion: string): MakeEvent {
  const known = new Map<string, Provenance>()

  function provenanceOf({ status, referrer, userAgent }: Visit, rule: string): Provenance {
    const key = `${status}\n${rule}\n${referrer}\n${userAgent}`
    const remembered = known.get(key)
    if (remembered !== undefined) return remembered
    const provenance: Provenance = {
      arrival: 'import',
      userAgent: ownText(userAgent.slice(0, userAgentLengthMax)),
      referrerHost: webHost(referrer),
      status,
      rule,
      catalogueVersion,
    }
    if (known.size >= rememberedProvenances) known.clear()
    known.set(key, provenance)
    return provenance
  }

  return (visit, verdict, country, createdAt) => ({
    type: verdict.kind,
    name: verdict.kind === 'bot' ? verdict.name : verdict.source,
    company: verdict.kind === 'bot' ? verdict.company : '',
    path: pagePath(visit.url),
    country,
    createdAt,
    value: null,
    provenance: provenanceOf(visit, verdict.rule),
  })
}

/** Well-formed, and cut loose from the block of the log that it was read from, which it would keep in memory. */
const ownText = (text: string): string => Buffer.from(text).toString()
