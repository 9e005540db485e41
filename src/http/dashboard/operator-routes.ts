/** Shows the owner of the instance the accounts, their plans and their usage. */
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { Refusal, removeUser, setUserPlan } from '../../accounts/users.ts'
import { type Account, planOf } from '../../domain/account.ts'
import { monthOf } from '../../domain/date-range.ts'
import type { DashboardParts } from './dashboard-parts.ts'
import { dashboardSchema } from './describe-routes.ts'
import { bodyReader } from './read-body.ts'
import { requireOwner } from './session-admission.ts'
import { Done, PlanChange, UserRemoval, UserView } from './views.ts'

export function operatorRoutes(app: FastifyInstance, parts: DashboardParts): void {
  const onRequest = requireOwner(parts)
  const readPlan = bodyReader(PlanChange)
  const readEmail = bodyReader(UserRemoval)
  const { accounts, events } = parts.stores

  app.get(
    '/app/api/users',
    { schema: dashboardSchema({ operationId: 'listUsers', ok: Type.Array(UserView) }), onRequest },
    async (): Promise<UserView[]> => {
      const [users, sites] = await Promise.all([accounts.listAccounts(), accounts.listSites(null)])
      const month = monthOf(parts.clock())
      return Promise.all(
        users.map(async user => ({
          id: user.id,
          email: user.email,
          plan: user.plan,
          isOwner: user.isOwner,
          createdAt: user.createdAt,
          sites: sites.filter(({ accountId }) => accountId === user.id).map(({ domain }) => domain),
          eventsThisMonth: await events.usage(user.number, month),
          limit: planOf(parts.plans, user).eventsPerMonth,
        })),
      )
    },
  )

  app.patch(
    '/app/api/users/:userId',
    { schema: dashboardSchema({ operationId: 'changePlan', ok: Done, body: PlanChange }), onRequest },
    async (request): Promise<object> => {
      const user = await requireOther(request.params)
      await setUserPlan(parts, user.email, readPlan(request).plan)
      return {}
    },
  )

  // The email is typed once more: a removal cannot be undone.
  app.delete(
    '/app/api/users/:userId',
    { schema: dashboardSchema({ operationId: 'removeUser', ok: Done, body: UserRemoval }), onRequest },
    async (request): Promise<object> => {
      const user = await requireOther(request.params)
      if (readEmail(request).email !== user.email)
        throw new Refusal('The email that was typed is not the email of this account.')
      await removeUser(parts, user)
      return {}
    },
  )

  async function requireOther(params: unknown): Promise<Account> {
    const user = await accounts.findAccount((params as { userId: string }).userId)
    if (!user) throw new Refusal('There is no such account any more.')
    if (user.isOwner) throw new Refusal('The account of the owner is changed on its own page.')
    return user
  }
}
