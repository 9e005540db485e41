/** GET /api/v1/sites/{siteId}/timeseries */
import type { FastifyInstance } from 'fastify'
import { requireHourlySeries } from '../../accounts/access.ts'
import { isOnePiece, TimeseriesReport, timeseriesJson, timeseriesPieces } from '../../reports/timeseries.ts'
import { admit } from '../admission.ts'
import type { HttpParts } from '../http-parts.ts'
import { apiSchema } from '../openapi.ts'
import { type RawQuery, readGranularity, readRange, TimeseriesQuery } from '../query.ts'
import { sendReport } from '../report-response.ts'
import type { Ask, ShortRoute } from '../short-way.ts'

const url = '/api/v1/sites/:siteId/timeseries'

export function timeseriesRoute(app: FastifyInstance, parts: HttpParts): ShortRoute {
  const take = (length: number): Buffer => parts.answerBytes.take(length)
  const ask: Ask = (query, site, caller, now) => {
    const range = readRange(query, now)
    const granularity = readGranularity(query)
    if (granularity === 'hour') requireHourlySeries(caller, parts.supportEmail)
    const { events } = parts.stores
    return isOnePiece(range, granularity)
      ? { build: () => timeseriesJson(events, site.number, range, granularity, take), remember: true }
      : { build: () => timeseriesPieces(events, site.number, range, granularity), remember: false }
  }
  app.get(url, {
    schema: apiSchema({
      operationId: 'getTimeseries',
      summary: 'Counts by UTC day or hour, without gaps',
      querystring: TimeseriesQuery,
      ok: TimeseriesReport,
      errors: [
        'MISSING_SITE_ID',
        'SITE_NOT_FOUND',
        'INVALID_DATE_RANGE',
        'INVALID_PARAMETER',
        'PLAN_REQUIRED',
      ],
    }),
    onRequest: admit(parts, 'read'),
    handler: (request, reply) =>
      sendReport(parts, request, reply, () =>
        ask(request.query as RawQuery, request.site, request.caller, parts.clock()),
      ),
  })
  return { url, ask }
}
