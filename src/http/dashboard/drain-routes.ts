/** Makes, lists and removes the log drains of a site that need more than an API key. The caller must be signed in. */
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { addDrain, listDrains } from '../../accounts/drains.ts'
import { Refusal } from '../../accounts/users.ts'
import type { Drain } from '../../domain/account.ts'
import type { DashboardParts } from './dashboard-parts.ts'
import { dashboardSchema } from './describe-routes.ts'
import { bodyReader } from './read-body.ts'
import { requireSession } from './session-admission.ts'
import { Done, DrainView, MadeDrain, NewDrain } from './views.ts'

export function drainRoutes(app: FastifyInstance, parts: DashboardParts): void {
  const onRequest = requireSession(parts)
  const readDrain = bodyReader(NewDrain)

  app.get(
    '/app/api/sites/:siteId/drains',
    { schema: dashboardSchema({ operationId: 'listDrains', ok: Type.Array(DrainView) }), onRequest },
    async (request): Promise<DrainView[]> => (await listDrains(parts, request.site)).map(drainView),
  )
  app.post(
    '/app/api/sites/:siteId/drains',
    { schema: dashboardSchema({ operationId: 'makeDrain', ok: MadeDrain, body: NewDrain }), onRequest },
    async (request): Promise<MadeDrain> => {
      const { kind, proof } = readDrain(request)
      const { drain, secret } = await addDrain(parts, request.site, kind, proof?.trim() || null)
      return { drain: drainView(drain), secret }
    },
  )
  app.delete(
    '/app/api/sites/:siteId/drains/:drainId',
    { schema: dashboardSchema({ operationId: 'removeDrain', ok: Done }), onRequest },
    async (request): Promise<object> => {
      const { drainId } = request.params as { drainId: string }
      const own = (await listDrains(parts, request.site)).some(({ id }) => id === drainId)
      if (!own || !(await parts.stores.accounts.removeDrain(drainId)))
        throw new Refusal('There is no such drain any more.')
      return {}
    },
  )
}

const drainView = ({ id, kind, proof, createdAt }: Drain): DrainView => ({ id, kind, proof, createdAt })
