/** Imports a log that is dropped on the page while it is uploaded. The log may have any size, and no copy of it is kept. */
import { PassThrough, type Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { planOf } from '../../domain/account.ts'
import { importLogs } from '../../ingest/import-log.ts'
import type { DashboardParts } from './dashboard-parts.ts'
import { dashboardSchema } from './describe-routes.ts'
import { requireSession } from './session-admission.ts'
import { UploadReport } from './views.ts'

const uploadType = 'application/octet-stream'

/** Runs what is asked for one site after the other: an upload that is sent again must find what the broken one has stored. */
function oneAtATime(): <Result>(site: number, work: () => Promise<Result>) => Promise<Result> {
  const last = new Map<number, Promise<unknown>>()
  return (site, work) => {
    const before = last.get(site) ?? Promise.resolve()
    const result = before.then(work, work)
    const settled = result
      .catch(() => undefined)
      .then(() => {
        if (last.get(site) === settled) last.delete(site)
      })
    last.set(site, settled)
    return result
  }
}

export function importRoute(app: FastifyInstance, parts: DashboardParts): void {
  const inTurn = oneAtATime()
  app.addContentTypeParser(uploadType, (_request, payload, done) => done(null, payload))

  const schema = dashboardSchema({
    operationId: 'importLog',
    ok: UploadReport,
    body: Type.String({ format: 'binary' }),
    bodyType: uploadType,
  })
  const onRequest = requireSession(parts)
  app.post('/app/api/sites/:siteId/import', { schema, onRequest }, async (request): Promise<UploadReport> => {
    const upload = request.body as Readable | undefined
    const stdin = new PassThrough()
    const broken = new AbortController()
    // What has arrived of a broken upload is imported; the same file goes on from there when it is sent again.
    upload?.on('error', () => broken.abort())
    upload?.on('close', () => stdin.end())
    if (upload) upload.pipe(stdin)
    else stdin.end()
    let malformed: UploadReport['firstMalformed'] = null
    const report = await inTurn(request.site.number, () =>
      importLogs(
        {
          store: parts.stores.events,
          detector: parts.detector,
          countryOf: parts.countryOf,
          clock: parts.clock,
          stdin,
          site: request.site,
          account: request.person.number,
          monthlyLimit: planOf(parts.plans, request.person).eventsPerMonth,
        },
        {
          sources: ['-'],
          format: 'auto',
          follow: false,
          signal: broken.signal,
          onMalformed: ({ number, text }) => {
            malformed = { number, text }
          },
        },
      ),
    )
    return { ...report, firstMalformed: malformed }
  })
}
