/** Why a visit that was answered may not have arrived: everything that the data, the catalogue and the answer itself can tell. */
import { createDetector } from '../../detection/create-detector.ts'
import { planOf, type Site } from '../../domain/account.ts'
import { monthOf } from '../../domain/date-range.ts'
import type { OpenedParts } from '../cli-context.ts'
import type { Problem } from './problem.ts'
import type { PageAnswer } from './visit-page.ts'
import type { Visitor } from './visitor.ts'

/** The first that explains it; what is certain comes before what is likely. */
export async function problemOfMissing(
  parts: OpenedParts,
  site: Site,
  visitor: Visitor,
  answer: PageAnswer,
  waitedSeconds: number,
): Promise<Problem> {
  return (
    ignoredBecause(parts, site, visitor, answer) ??
    (await quotaUsedUp(parts, site, visitor)) ??
    cached(visitor, answer) ??
    (await withoutWriter(parts, site, visitor, waitedSeconds))
  )
}

function ignoredBecause(
  { config }: OpenedParts,
  site: Site,
  { as, userAgent, referrer }: Visitor,
  { url, status }: PageAnswer,
): Problem | null {
  const detector = createDetector({ excludedBots: new Set(config.excludedBots) })
  const { verdict, steps } = detector.explain({
    method: 'GET',
    url,
    status,
    userAgent,
    referrer,
    siteDomain: site.domain,
  })
  if (verdict.kind !== 'ignored') return null
  return {
    code: 'ignored',
    what: `${as}: such a visit is not counted. ${steps.at(-1)}`,
    fix:
      verdict.reason === 'not-counted-bot'
        ? 'PUGMARK_EXCLUDED_BOTS names it; take it out to count it.'
        : 'Check the address of a page.',
  }
}

async function quotaUsedUp(
  { stores, config, clock }: OpenedParts,
  site: Site,
  { as }: Visitor,
): Promise<Problem | null> {
  const account = await stores.accounts.findAccount(site.accountId)
  if (!account) return null
  const { eventsPerMonth } = planOf(config.plans, account)
  const used = await stores.events.usage(account.number, monthOf(clock()))
  if (eventsPerMonth === null || used < eventsPerMonth) return null
  return {
    code: 'quota-used-up',
    what: `${as}: it did not arrive, and ${account.email} has used ${used} of the ${eventsPerMonth} events of this month.`,
    fix: `Change the plan with pugmark user plan ${account.email} pro, or the setting PUGMARK_PLAN_${account.plan.toUpperCase()}_EVENTS_PER_MONTH.`,
  }
}

function cached({ as }: Visitor, { headers }: PageAnswer): Problem | null {
  const names = [
    'cf-cache-status',
    'x-vercel-cache',
    'x-nextjs-cache',
    'x-cache',
    'x-proxy-cache',
    'cache-status',
  ]
  const hit = names.find(name => /\bhit\b/i.test(headers.get(name) ?? ''))
  const age = Number(headers.get('age'))
  if (hit === undefined && !(age > 0)) return null
  const sign = hit === undefined ? `age: ${age}` : `${hit}: ${headers.get(hit)}`
  return {
    code: 'answered-by-a-cache',
    what: `${as}: it did not arrive, and a cache answered (${sign}), so no tracker behind that cache could see it.`,
    fix: 'Put the tracker where every request passes: at the edge, or into the logs of the CDN.',
  }
}

async function withoutWriter(
  { stores }: OpenedParts,
  site: Site,
  { as }: Visitor,
  waitedSeconds: number,
): Promise<Problem> {
  const what = `${as}: it did not arrive within ${waitedSeconds} s.`
  const keys = await stores.accounts.listKeys(site.accountId)
  const writers = keys.filter(({ scopes, revokedAt }) => scopes.includes('write') && revokedAt === null)
  const account = await stores.accounts.findAccount(site.accountId)
  if (writers.length === 0) {
    return {
      code: 'no-key',
      what: `${what} There is no key with which a tracker could report it.`,
      fix: `Add one, and a tracker on your server or edge (docs/trackers): pugmark key add --user ${account?.email ?? '<email>'} --name trackers --scope write. Or import the access log with --follow.`,
    }
  }
  const lastUsedAt = Math.max(...writers.map(key => key.lastUsedAt ?? 0))
  if (lastUsedAt === 0) {
    return {
      code: 'key-never-used',
      // Servers write uses down once a minute.
      what: `${what} No key that can record had been used until a minute ago.`,
      fix: "The tracker does not run, or its host, siteId or key is wrong: the site's own output has warnings that begin with pugmark.",
    }
  }
  return {
    code: 'not-arrived',
    what: `${what} A key that can record was last used at ${new Date(lastUsedAt).toISOString().slice(0, 16)}Z.`,
    fix: `Is the tracker's siteId ${site.id}, is it called before the handler of this page, does its ignore leave the page out, is the process the one that was changed? Ways in that take longer, such as log drains, need --timeout.`,
  }
}
