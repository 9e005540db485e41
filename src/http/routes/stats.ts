/** GET /api/v1/sites/{siteId}/stats */
import type { FastifyInstance } from 'fastify'
import { StatsJson, StatsReport } from '../../reports/stats.ts'
import { admit } from '../admission.ts'
import type { HttpParts } from '../http-parts.ts'
import { apiSchema } from '../openapi.ts'
import { RangeQuery, type RawQuery, readRange } from '../query.ts'
import { sendReport } from '../report-response.ts'
import type { Ask, ShortRoute } from '../short-way.ts'

const url = '/api/v1/sites/:siteId/stats'

export function statsRoute(app: FastifyInstance, parts: HttpParts): ShortRoute {
  const take = (length: number): Buffer => parts.answerBytes.take(length)
  const json = new StatsJson()
  const ask: Ask = (query, site, _caller, now) => {
    const range = readRange(query, now)
    return { build: () => json.build(parts.stores.events, site.number, range, take), remember: true }
  }
  app.get(url, {
    schema: apiSchema({
      operationId: 'getStats',
      summary: 'Totals and breakdowns of a site over a range of days',
      querystring: RangeQuery,
      ok: StatsReport,
      errors: ['MISSING_SITE_ID', 'SITE_NOT_FOUND', 'INVALID_DATE_RANGE'],
    }),
    onRequest: admit(parts, 'read'),
    handler: (request, reply) =>
      sendReport(parts, request, reply, () =>
        ask(request.query as RawQuery, request.site, request.caller, parts.clock()),
      ),
  })
  return { url, ask }
}
