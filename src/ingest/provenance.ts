/** What an event keeps of the request behind it, so that a verdict can be explained and classified again later. */
import { ownCopy, rememberRecent } from '../detection/remember-recent.ts'
import { webHost } from '../detection/web-host.ts'
import type { Provenance } from '../domain/event.ts'

/** What is kept of a user agent; a longer one is classified whole. */
const userAgentLengthMax = 1_000

/** Visitors of one batch or log share few of them. */
const remembered = 10_000

export type ProvenanceOf = (userAgent: string, referrer: string, rule: string | null) => Provenance

/** The same object for equal requests, mostly. `rule` is null where no rule decided. */
export function createProvenances(source: Provenance['source'], catalogueVersion: string): ProvenanceOf {
  const known = rememberRecent((key: string): Provenance => {
    const [rule = '', referrer = '', ...userAgent] = key.split('\n')
    const text = userAgent.join('\n')
    const host = webHost(referrer)
    return {
      source,
      userAgent: ownCopy(text.slice(0, userAgentLengthMax).toWellFormed()),
      referrerHost: host && ownCopy(host),
      rule: rule || null,
      catalogueVersion,
      assistant: null,
      landing: null,
    }
  }, remembered)
  return (userAgent, referrer, rule) =>
    known(`${rule ?? ''}\n${referrer.replaceAll('\n', ' ')}\n${userAgent}`)
}
