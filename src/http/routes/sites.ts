/** GET /api/v1/sites */
import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { listSites } from '../../accounts/sites.ts'
import { admit } from '../admission.ts'
import type { HttpParts } from '../http-parts.ts'
import { apiSchema } from '../openapi.ts'
import { sendJson } from '../send-report.ts'

export const SiteList = Type.Object(
  {
    sites: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          domain: Type.String(),
          key: Type.String({ description: 'Public tracking key.' }),
          events_this_month: Type.Integer({ description: 'Recorded in this UTC month.' }),
          created_at: Type.String({ format: 'date-time' }),
        },
        { title: 'Site' },
      ),
      { description: 'Oldest first; only those of the account.' },
    ),
  },
  { title: 'SiteList' },
)

export function sitesRoute(app: FastifyInstance, parts: HttpParts): void {
  app.get('/api/v1/sites', {
    schema: apiSchema({
      operationId: 'listSites',
      summary: 'The sites of the account',
      description: 'The id of a site is part of the path of every other operation.',
      ok: SiteList,
      errors: [],
    }),
    onRequest: admit(parts, 'read'),
    handler: async (request, reply) => {
      const sites = await listSites(parts, request.caller.account)
      const body = JSON.stringify({
        sites: sites.map(({ id, domain, key, eventsThisMonth, createdAt }) => ({
          id,
          domain,
          key,
          events_this_month: eventsThisMonth,
          created_at: new Date(createdAt).toISOString(),
        })),
      })
      const etag = `W/"${hash('sha1', body, 'base64url')}"`
      return sendJson(request, reply, etag, body)
    },
  })
}
