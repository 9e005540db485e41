/** Registers the page of the dashboard, and the routes under /app/api that only this page uses. */
import type { FastifyInstance } from 'fastify'
import { Sessions } from '../../accounts/sessions.ts'
import type { HttpParts } from '../http-parts.ts'
import { sendDashboardError } from './dashboard-error.ts'
import type { DashboardParts } from './dashboard-parts.ts'
import { describeDashboard } from './describe-routes.ts'
import { drainRoutes } from './drain-routes.ts'
import { importRoute } from './import-route.ts'
import { liveRoute } from './live-route.ts'
import { operatorRoutes } from './operator-routes.ts'
import { pageRoutes } from './page-routes.ts'
import { acceptJsonBodies } from './read-body.ts'
import { reportRoutes } from './report-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { keyRoutes, siteRoutes } from './site-routes.ts'

export async function registerDashboard(
  app: FastifyInstance,
  parts: HttpParts,
  version: string,
): Promise<void> {
  await app.register(async routes => {
    const dashboard: DashboardParts = {
      ...parts,
      version,
      sessions: new Sessions(parts.stores.accounts),
    }
    routes.setErrorHandler(sendDashboardError)
    routes.decorateRequest('person')
    routes.addHook('onSend', async (_request, reply, payload) => {
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
      return payload
    })
    acceptJsonBodies(routes)
    await describeDashboard(routes, version)
    sessionRoutes(routes, dashboard)
    siteRoutes(routes, dashboard)
    keyRoutes(routes, dashboard)
    drainRoutes(routes, dashboard)
    reportRoutes(routes, dashboard)
    liveRoute(routes, dashboard)
    importRoute(routes, dashboard)
    operatorRoutes(routes, dashboard)
  })
  await pageRoutes(app)
}
