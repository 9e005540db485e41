/** Manages sites and keys, and shows usage. The caller must be signed in. */
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { addKey } from '../../accounts/api-keys.ts'
import { addSite, listSites, removeSite, renameSite, type SiteWithUsage } from '../../accounts/sites.ts'
import { Refusal } from '../../accounts/users.ts'
import { type ApiKey, planOf, type Scope } from '../../domain/account.ts'
import { monthOf } from '../../domain/date-range.ts'
import type { DashboardParts } from './dashboard-parts.ts'
import { dashboardSchema } from './describe-routes.ts'
import { bodyReader } from './read-body.ts'
import { requireSession } from './session-admission.ts'
import { Domain, Done, KeyView, MadeKey, NewKey, SiteView, UsageView } from './views.ts'

export function siteRoutes(app: FastifyInstance, parts: DashboardParts): void {
  const onRequest = requireSession(parts)
  const readDomain = bodyReader(Domain)

  app.get(
    '/app/api/sites',
    { schema: dashboardSchema({ operationId: 'listSites', ok: Type.Array(SiteView) }), onRequest },
    async (request): Promise<SiteView[]> => (await listSites(parts, request.person)).map(siteView),
  )
  app.post(
    '/app/api/sites',
    { schema: dashboardSchema({ operationId: 'addSite', ok: SiteView, body: Domain }), onRequest },
    async (request): Promise<SiteView> => {
      const site = await addSite(parts, request.person, readDomain(request).domain)
      return siteView({ ...site, eventsThisMonth: 0 })
    },
  )
  app.patch(
    '/app/api/sites/:siteId',
    { schema: dashboardSchema({ operationId: 'renameSite', ok: Domain, body: Domain }), onRequest },
    async (request): Promise<{ domain: string }> => {
      const { domain } = await renameSite(parts, request.site, readDomain(request).domain)
      return { domain }
    },
  )
  // The name is typed once more: a removal cannot be undone.
  app.delete(
    '/app/api/sites/:siteId',
    { schema: dashboardSchema({ operationId: 'removeSite', ok: Done, body: Domain }), onRequest },
    async (request): Promise<object> => {
      if (readDomain(request).domain !== request.site.domain)
        throw new Refusal('The name that was typed is not the name of this site.')
      await removeSite(parts, request.site)
      return {}
    },
  )
}

export function keyRoutes(app: FastifyInstance, parts: DashboardParts): void {
  const onRequest = requireSession(parts)
  const readKey = bodyReader(NewKey)
  const { accounts } = parts.stores

  app.get(
    '/app/api/keys',
    { schema: dashboardSchema({ operationId: 'listKeys', ok: Type.Array(KeyView) }), onRequest },
    async (request): Promise<KeyView[]> => (await accounts.listKeys(request.person.id)).map(keyView),
  )
  app.post(
    '/app/api/keys',
    { schema: dashboardSchema({ operationId: 'makeKey', ok: MadeKey, body: NewKey }), onRequest },
    async (request): Promise<MadeKey> => {
      const { name, scopes } = readKey(request)
      const unique = [...new Set<Scope>(scopes)]
      const { key, secret } = await addKey(parts, request.person, { name: name.trim(), scopes: unique })
      return { key: keyView(key), secret }
    },
  )
  app.delete(
    '/app/api/keys/:keyId',
    { schema: dashboardSchema({ operationId: 'revokeKey', ok: Done }), onRequest },
    async (request): Promise<object> => {
      const { keyId } = request.params as { keyId: string }
      const own = (await accounts.listKeys(request.person.id)).some(({ id }) => id === keyId)
      if (!own || !(await accounts.revokeKey(keyId, parts.clock())))
        throw new Refusal('There is no such key in use any more.')
      return {}
    },
  )
  app.get(
    '/app/api/usage',
    { schema: dashboardSchema({ operationId: 'getUsage', ok: UsageView }), onRequest },
    async (request): Promise<UsageView> => {
      const now = parts.clock()
      const plan = planOf(parts.plans, request.person)
      const sites = await listSites(parts, request.person)
      // Read after the usage of the sites. Otherwise new events in between could make their sum exceed the total.
      const used = await parts.stores.events.usage(request.person.number, monthOf(now))
      return {
        month: new Date(now).toISOString().slice(0, 7),
        used,
        limit: plan.eventsPerMonth,
        requestsPerMinute: plan.requestsPerMinute,
        removedSites: used - sites.reduce((sum, { eventsThisMonth }) => sum + eventsThisMonth, 0),
      }
    },
  )
}

export const siteView = ({ id, domain, key, eventsThisMonth, createdAt }: SiteWithUsage): SiteView => ({
  id,
  domain,
  key,
  eventsThisMonth,
  createdAt,
})

const keyView = ({ accountId: _, ...key }: ApiKey): KeyView => ({ ...key, scopes: [...key.scopes] })
