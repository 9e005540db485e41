/** Finds the assistant of a referrer by its host, by a parent domain, or by host, path and query together. */
import type { ReferrerCondition, ReferrerSource } from './catalogue/schema.ts'
import type { ReferralVerdict } from './detector.ts'
import { pagePath } from './page-path.ts'
import { findInQuery } from './query-pairs.ts'
import { withoutWww } from './web-host.ts'

/** `host` is the result of webHost for the URL `referrer`. Null when the host belongs to no assistant. */
export type FindHost = (host: string, referrer: string) => ReferralVerdict | null

interface ListedHost {
  /** Null for a host that is listed as an exception, because it does not belong to the assistant. */
  readonly verdict: ReferralVerdict | null
  readonly subdomains: boolean
}

interface ListedCondition {
  readonly verdict: ReferralVerdict
  readonly condition: ReferrerCondition
}

export function createHostFinder(sources: readonly ReferrerSource[]): FindHost {
  const hosts = listHosts(sources)
  const conditions = listConditions(sources)
  const families = Map.groupBy(
    [...conditions.values()].flat().filter(({ condition }) => condition.countryHosts),
    ({ condition }) => firstLabel(condition.host),
  )

  return (host, referrer) => {
    const bare = withoutWww(host)
    const listed = hosts.get(host) ?? hosts.get(bare)
    if (listed) return listed.verdict
    const shared =
      conditions.get(bare) ?? (countryHost.test(bare) ? families.get(firstLabel(bare)) : undefined)
    if (shared) return findCondition(shared, referrer)
    return findAbove(hosts, host)
  }
}

function listHosts(sources: readonly ReferrerSource[]): Map<string, ListedHost> {
  const hosts = new Map<string, ListedHost>()
  for (const source of sources) {
    for (const host of source.notHosts ?? []) hosts.set(host, { verdict: null, subdomains: true })
    for (const host of source.hosts) {
      hosts.set(host, { verdict: referralBy(source, `host:${host}`), subdomains: source.subdomains ?? false })
    }
  }
  return hosts
}

/** The nearest listed parent domain decides. So an exception such as a help site, below an assistant's domain, does not match. */
function findAbove(hosts: ReadonlyMap<string, ListedHost>, host: string): ReferralVerdict | null {
  for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
    const listed = hosts.get(host.slice(dot + 1))
    if (listed?.subdomains) return listed.verdict
  }
  return null
}

function listConditions(sources: readonly ReferrerSource[]): Map<string, ListedCondition[]> {
  const listed = sources.flatMap(source =>
    (source.conditions ?? []).map(condition => ({
      verdict: referralBy(source, `host:${describeCondition(condition)}`),
      condition,
    })),
  )
  return Map.groupBy(listed, ({ condition }) => condition.host)
}

/** `google.com/search?udm=50` */
function describeCondition({ host, pathPrefix, query }: ReferrerCondition): string {
  return `${host}${pathPrefix ?? ''}${query ? `?${new URLSearchParams(query)}` : ''}`
}

function findCondition(listed: readonly ListedCondition[], referrer: string): ReferralVerdict | null {
  const path = pagePath(referrer)
  return listed.find(({ condition }) => meets(path, referrer, condition))?.verdict ?? null
}

function meets(path: string, referrer: string, { pathPrefix, query }: ReferrerCondition): boolean {
  if (pathPrefix !== undefined && path !== pathPrefix && !path.startsWith(`${pathPrefix}/`)) return false
  return Object.entries(query ?? {}).every(([wantedName, wantedValue]) =>
    findInQuery(referrer, (name, value) => (name === wantedName && value === wantedValue) || undefined),
  )
}

/** `google.fr`, `google.co.uk`, `google.com.br`. */
const countryHost = /^[a-z0-9-]+\.(?:com?\.)?[a-z]{2}$/

const firstLabel = (host: string): string => host.slice(0, host.indexOf('.'))

export const referralBy = (source: ReferrerSource, rule: string): ReferralVerdict => ({
  kind: 'referral',
  source: source.source,
  company: source.company,
  rule,
})
