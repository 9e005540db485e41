/** Builds what an event keeps of its request, so that its verdict can be explained and the event found again. */
import { ownCopy } from '../detection/remember-recent.ts'
import { webHost } from '../detection/web-host.ts'
import type { Provenance, Source } from '../domain/event.ts'

/** What is kept of a user agent; a longer one is classified whole. */
const userAgentLengthMax = 1_000

const rememberedMax = 10_000
/** Characters of a key; strangers must not fill the memory. */
const keyLengthMax = 2_000

/** `rule` is null where no rule decided. */
export type ProvenanceOf = (userAgent: string, referrer: string, rule: string | null) => Provenance

/** The requests of one batch or log share few provenances, so equal ones mostly give the same object. */
export function createProvenances(source: Source, catalogueVersion: string): ProvenanceOf {
  const known = new Map<string, Provenance>()
  return (userAgent, referrer, rule) => {
    const key = `${rule}\n${referrer}\n${userAgent}`
    const found = known.get(key)
    if (found) return found
    const host = webHost(referrer)
    const provenance: Provenance = {
      source,
      userAgent: ownCopy(userAgent.slice(0, userAgentLengthMax).toWellFormed()),
      referrerHost: host === null ? null : ownCopy(host),
      rule,
      catalogueVersion,
      assistant: null,
      landing: null,
    }
    if (known.size >= rememberedMax) known.clear()
    if (key.length <= keyLengthMax) known.set(key, provenance)
    return provenance
  }
}
