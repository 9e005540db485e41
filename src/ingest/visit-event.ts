/** What a visit that counts becomes: the one translation of a verdict, for hits, logs, the snippet and the demo. */
import type { Verdict, Visit } from '../detection/detector.ts'
import { webHost } from '../detection/web-host.ts'
import type { NewEvent, Provenance } from '../domain/event.ts'
import { clientOf } from './client-address.ts'

export type CountedVerdict = Exclude<Verdict, { kind: 'ignored' }>

/** What is kept of a user agent; a longer one is judged whole. */
const userAgentLengthMax = 1_000

export const subjectOf = (verdict: CountedVerdict): Pick<NewEvent, 'type' | 'name' | 'company'> =>
  verdict.kind === 'bot'
    ? { type: 'bot', name: verdict.name, company: verdict.company }
    : { type: 'referral', name: verdict.source, company: '' }

/** What later explains or re-judges the event. `rule` is null where no rule decided. */
export const provenanceOf = (
  { userAgent, referrer }: Pick<Visit, 'userAgent' | 'referrer'>,
  { source, rule, catalogueVersion }: Pick<Provenance, 'source' | 'rule' | 'catalogueVersion'>,
): Provenance => ({
  source,
  userAgent: userAgent.slice(0, userAgentLengthMax).toWellFormed(),
  referrerHost: webHost(referrer),
  rule,
  catalogueVersion,
  assistant: null,
  landing: null,
})

/** Who made the request, for NewEvent: nothing where the address is not known. */
export function clientIn(address: string): Pick<NewEvent, 'client'> {
  const client = clientOf(address)
  return client === null ? {} : { client }
}
