/** Finds the assistant that marked the landing URL, by `utm_source` and other query parameters that assistants add to links. */
import type { ReferrerSource } from './catalogue/schema.ts'
import type { ReferralVerdict } from './detector.ts'
import { findInQuery } from './query-pairs.ts'
import { referralBy } from './referrer-hosts.ts'

/** The verdict of the first mark in the query of an absolute URL or request target. */
export type FindMark = (url: string) => ReferralVerdict | undefined

/** Parameter names match exactly, and values match in any letter case. */
export function createMarkFinder(sources: readonly ReferrerSource[]): FindMark {
  const verdicts = new Map<string, Map<string, ReferralVerdict>>()
  function add(source: ReferrerSource, name: string, value: string, rule: string): void {
    const byValue = verdicts.get(name) ?? new Map<string, ReferralVerdict>()
    verdicts.set(name, byValue.set(value.toLowerCase(), referralBy(source, rule)))
  }
  for (const source of sources) {
    for (const value of source.utmSources) add(source, 'utm_source', value, `utm_source:${value}`)
    for (const [name, value] of Object.entries(source.queryParams ?? {})) {
      add(source, name, value, `query:${name}=${value}`)
    }
  }
  const look = (name: string, value: string) => verdicts.get(name)?.get(value.toLowerCase())
  return url => findInQuery(url, look)
}
