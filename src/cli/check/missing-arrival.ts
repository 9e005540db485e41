/** Finds out why a visit did not arrive although the page answered, by the data, the catalogue and the answer. */
import { createDetector } from '../../detection/create-detector.ts'
import { planOf, type Site } from '../../domain/account.ts'
import { monthOf } from '../../domain/date-range.ts'
import type { OpenedParts } from '../cli-context.ts'
import type { Problem } from './problem.ts'
import type { PageAnswer } from './visit-page.ts'
import type { Visitor } from './visitor.ts'

/** The first explanation that fits. Certain ones come before likely ones. */
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
    what: `${as}: such a visit does not count. ${steps.at(-1)}`,
    fix:
      verdict.reason === 'not-counted-bot'
        ? 'PUGMARK_EXCLUDED_BOTS names this bot. Remove it there to count its visits.'
        : 'Check the address of a page instead.',
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
    what: `${as}: the visit did not arrive. ${account.email} has used ${used} of the ${eventsPerMonth} events of this month.`,
    fix: `Change the plan (pugmark user plan ${account.email} pro) or raise PUGMARK_PLAN_${account.plan.toUpperCase()}_EVENTS_PER_MONTH.`,
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
    what: `${as}: the visit did not arrive. A cache answered it (${sign}), so no tracker behind the cache could see it.`,
    fix: 'Report visits from where every request passes: put the tracker at the edge, or send the logs of the CDN.',
  }
}

async function withoutWriter(
  { stores }: OpenedParts,
  site: Site,
  { as }: Visitor,
  waitedSeconds: number,
): Promise<Problem> {
  const what = `${as}: the visit did not arrive within ${waitedSeconds} s.`
  const keys = await stores.accounts.listKeys(site.accountId)
  const writers = keys.filter(({ scopes, revokedAt }) => scopes.includes('write') && revokedAt === null)
  const account = await stores.accounts.findAccount(site.accountId)
  if (writers.length === 0) {
    return {
      code: 'no-key',
      what: `${what} No tracker has a key to report it with.`,
      fix: `Add a key and give it to a tracker on your server or edge (docs/trackers): pugmark key add --user ${account?.email ?? '<email>'} --name trackers --scope write. Or import the access log with --follow.`,
    }
  }
  const lastUsedAt = Math.max(...writers.map(key => key.lastUsedAt ?? 0))
  if (lastUsedAt === 0) {
    return {
      code: 'key-never-used',
      // Servers record the use of keys once a minute.
      what: `${what} Until a minute ago, no key that can record had ever been used.`,
      fix: "The tracker does not run, or its host, siteId or key is wrong. Look for warnings that begin with pugmark in the site's own output.",
    }
  }
  return {
    code: 'not-arrived',
    what: `${what} But a key that can record was used at ${new Date(lastUsedAt).toISOString().slice(0, 16)}Z.`,
    fix: `Check that the tracker has the siteId ${site.id}, that it is called before the handler of this page, that its ignore does not leave the page out, and that the changed process is running. Slower sources, such as log drains, need a longer --timeout.`,
  }
}
