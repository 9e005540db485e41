/** Sends events as they arrive, as server-sent events. It watches the revision of the site, so events that other processes record appear too. */
import type { FastifyInstance } from 'fastify'
import { dayOf } from '../../domain/date-range.ts'
import { DashboardError } from './dashboard-error.ts'
import type { DashboardParts } from './dashboard-parts.ts'
import { dashboardSchema } from './describe-routes.ts'
import { eventView } from './report-routes.ts'
import { cookieHeaders, requireSession } from './session-admission.ts'
import { LiveMessage } from './views.ts'

const lookIntervalMs = 1_000
/** Keeps proxies from ending a quiet stream, and finds out that a session has ended. */
const pulseIntervalMs = 15_000
const eventsPerMessageMax = 50
const streamsMax = 500
/** So that nobody takes those of all others. */
const streamsPerPersonMax = 30

export function liveRoute(app: FastifyInstance, parts: DashboardParts): void {
  /** By what ends a stream, whose it is. */
  const open = new Map<() => void, string>()
  app.addHook('preClose', done => {
    for (const end of open.keys()) end()
    done()
  })

  const schema = dashboardSchema({
    operationId: 'followEvents',
    ok: LiveMessage,
    okType: 'text/event-stream',
  })
  app.get(
    '/app/api/sites/:siteId/live',
    { schema, onRequest: requireSession(parts) },
    async (request, reply) => {
      const watch = await SiteWatch.start(parts, request.site.number)
      const { id } = request.person
      const ofPerson = [...open.values()].filter(person => person === id).length
      if (open.size >= streamsMax || ofPerson >= streamsPerPersonMax)
        throw new DashboardError('REFUSED', 'Too many live views are open.')
      reply.hijack()
      const { raw } = reply
      raw.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        // Tells nginx not to hold the stream back.
        'x-accel-buffering': 'no',
        'x-content-type-options': 'nosniff',
      })
      const send = (message: LiveMessage): void => void raw.write(`data: ${JSON.stringify(message)}\n\n`)
      send({ revision: watch.revision, events: [], skipped: 0 })
      const look = setInterval(async () => {
        // A reader that does not keep up gets the next look instead.
        if (raw.writableNeedDrain) return
        const message = await watch.look().catch(() => null)
        if (message) send(message)
      }, lookIntervalMs)
      const pulse = setInterval(async () => {
        raw.write(': still here\n\n')
        const stillAllowed = async (): Promise<boolean> =>
          (await parts.sessions.find(cookieHeaders(request))) !== null &&
          (await parts.stores.accounts.findSite(request.site.id)) !== null
        if (!(await stillAllowed().catch(() => false))) end()
      }, pulseIntervalMs)
      const end = (): void => {
        clearInterval(look)
        clearInterval(pulse)
        open.delete(end)
        raw.end()
      }
      open.set(end, id)
      raw.on('close', end)
      // A client that left during the look-up has closed already.
      if (raw.destroyed) end()
    },
  )
}

class SiteWatch {
  readonly #parts: DashboardParts
  readonly #site: number
  revision: number
  #newestId: number
  #looking = false

  private constructor(parts: DashboardParts, site: number, revision: number, newestId: number) {
    this.#parts = parts
    this.#site = site
    this.revision = revision
    this.#newestId = newestId
  }

  static async start(parts: DashboardParts, site: number): Promise<SiteWatch> {
    const revision = await parts.stores.events.revision(site)
    const recent = await recentEvents(parts, site)
    return new SiteWatch(parts, site, revision, Math.max(0, ...recent.map(({ id }) => id)))
  }

  /** What is new since the last look; null when nothing is. Events of days past do not show, only that numbers changed. */
  async look(): Promise<LiveMessage | null> {
    if (this.#looking) return null
    this.#looking = true
    try {
      const revision = await this.#parts.stores.events.revision(this.#site)
      if (revision === this.revision) return null
      const recent = await recentEvents(this.#parts, this.#site)
      const fresh = recent.filter(({ id }) => id > this.#newestId).sort((a, b) => a.id - b.id)
      this.revision = revision
      this.#newestId = fresh.at(-1)?.id ?? this.#newestId
      const shown = fresh.slice(-eventsPerMessageMax)
      return { revision, events: shown.map(eventView), skipped: fresh.length - shown.length }
    } finally {
      this.#looking = false
    }
  }
}

/** Of today and yesterday, and of clocks that run ahead. */
const recentEvents = (parts: DashboardParts, site: number) => {
  const today = dayOf(parts.clock())
  const range = { start: today - 1, end: today + 1 }
  return parts.stores.events.list(site, { range, type: null, after: null, limit: 200 })
}
