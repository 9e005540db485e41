/**
 * Answers plain questions for stats, time series and events before the framework sees them, which takes a fifth of the time of an answer
 * (rows 1 to 4 of docs/performance.md). Whatever is not plain, is refused or cannot be answered at once goes the framework's way, as if nothing
 * had happened: nothing here has an effect before the answer is there (docs/decisions/0006).
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { authenticate, type Caller, requireScope, requireSite } from '../accounts/access.ts'
import type { RateVerdict } from '../accounts/rate-limit.ts'
import type { Scope, Site } from '../domain/account.ts'
import { apiHeaders } from './api-headers.ts'
import type { HttpParts } from './http-parts.ts'
import type { RawQuery } from './query.ts'
import { circumstancesOf, etagOf, type Question, reportHeaders } from './report-response.ts'
import { logRequest } from './request-log.ts'
import type { ResponseRounds } from './response-rounds.ts'

/** Reads the parameters of a report. Throws when one is wrong. */
export type Ask = (query: RawQuery, site: Site, caller: Caller, now: number) => Question

/** A report of a site. */
export interface ShortRoute {
  /** As the framework knows it: `/api/v1/sites/:siteId/` and a name. */
  readonly url: string
  readonly ask: Ask
}

interface ShortWayParts {
  readonly routes: readonly ShortRoute[]
  readonly rounds: ResponseRounds
  readonly nextId: () => string
}

const root = '/api/v1/sites/'
const routeRoot = `${root}:siteId/`

export function openShortWay(
  app: FastifyInstance,
  parts: HttpParts,
  { routes, rounds, nextId }: ShortWayParts,
): void {
  const routeOf = routeFinder(routes)

  /** Null for what must go the framework's way, as does what is thrown. */
  const find = unlessThrown((request: IncomingMessage): Found | null => {
    const { url = '' } = request
    if (request.method !== 'GET' || !isPlain(request)) return null
    const pathEnd = endOfPath(url)
    const asked = routeOf(url, pathEnd)
    if (!asked) return null
    const admitted = admitShortly(parts, request, 'read', asked.siteId)
    if (!admitted) return null
    const { route } = asked
    const { caller, site } = admitted
    const { account, plan } = caller
    const now = parts.clock()
    if (!parts.requestLimiter.peek(account.id, plan.requestsPerMinute, now).allowed) return null
    const revision = parts.stores.events.revision(site.number)
    if (isPending(revision)) return null
    const circumstances = circumstancesOf(site, revision, account.plan, now)
    const known = parts.answers.get(url, circumstances)
    if (known) return { route, caller, site, now, etag: known.etag, body: known.body }
    const query = plainQuery(url.slice(pathEnd + 1))
    if (!query) return null
    const { build, remember } = route.ask(query, site, caller, now)
    const body = build()
    // An answer in pieces has not begun before somebody reads them.
    if (isPending(body) || (typeof body !== 'string' && !Buffer.isBuffer(body))) return null
    const etag = etagOf(circumstances)
    if (remember) parts.answers.put(url, { ...circumstances, etag, body })
    return { route, caller, site, now, etag, body }
  })

  const send = (
    response: ServerResponse,
    { route, caller, site, now, etag, body }: Found,
    allowance: RateVerdict,
    ms: number,
  ): void => {
    const id = nextId()
    parts.keyUse.used(caller.key.id, now)
    rounds.sendWhole(response, [...apiHeaders({ id, allowance }), ...reportHeaders(etag)], body)
    if (!parts.requestLog.enabled) return
    logRequest(parts.requestLog, { id, method: 'GET', url: route.url, status: 200, ms, caller, site })
  }

  lookFirst(app, (request, response) => {
    const startMs = performance.now()
    const found = find(request)
    if (!found) return false
    const { account, plan } = found.caller
    const allowance = parts.requestLimiter.take(account.id, plan.requestsPerMinute, found.now)
    // Another thread may have answered the last one since we looked.
    if (!allowance.allowed) return false
    send(response, found, allowance, performance.now() - startMs)
    return true
  })
}

/**
 * Lets `look` see each request before all who saw it until now. It says whether it has taken the request, which it can hand on later with
 * what this gives back. Nothing is taken any more when the server stops, since the framework then closes connections.
 */
export function lookFirst(
  app: FastifyInstance,
  look: (request: IncomingMessage, response: ServerResponse) => boolean,
): RequestListener {
  let isClosing = false
  app.addHook('preClose', done => {
    isClosing = true
    done()
  })
  const [next] = app.server.listeners('request') as [RequestListener]
  app.server.removeListener('request', next)
  const goOn: RequestListener = (request, response) => next.call(app.server, request, response)
  app.server.on('request', (request, response) => {
    if (isClosing || !look(request, response)) goOn(request, response)
  })
  return goOn
}

/** Finds which of `routes` a path names, and of which site. */
export function routeFinder<Route extends { readonly url: string }>(
  routes: readonly Route[],
): (url: string, pathEnd: number) => { route: Route; siteId: string } | null {
  const named = routes.map(route => ({ route, name: route.url.slice(routeRoot.length) }))
  return (url, pathEnd) => {
    const siteEnd = url.indexOf('/', root.length)
    if (siteEnd === -1 || !url.startsWith(root)) return null
    const found = named.find(
      ({ name }) => siteEnd + 1 + name.length === pathEnd && url.startsWith(name, siteEnd + 1),
    )
    return found ? { route: found.route, siteId: url.slice(root.length, siteEnd) } : null
  }
}

/** Who asks, and of which site; null where that is not known at once. Throws as the admission of the framework's way does. */
export function admitShortly(
  { stores, plans }: HttpParts,
  { headers }: IncomingMessage,
  scope: Scope,
  siteId: string,
): { caller: Caller; site: Site } | null {
  stores.beginRequest()
  const access = { accounts: stores.accounts, plans }
  const caller = authenticate(access, headers.authorization)
  if (isPending(caller)) return null
  requireScope(caller, scope)
  const site = requireSite(access, caller, siteId)
  return isPending(site) ? null : { caller, site }
}

/** What is thrown is thrown again on the framework's way, where it is answered. */
export function unlessThrown<Asked extends readonly unknown[], Value>(
  find: (...asked: Asked) => Value | null,
): (...asked: Asked) => Value | null {
  return (...asked) => {
    try {
      return find(...asked)
    } catch {
      return null
    }
  }
}

interface Found {
  readonly route: ShortRoute
  readonly caller: Caller
  readonly site: Site
  readonly now: number
  readonly etag: string
  readonly body: string | Buffer
}

/** Without what would change the answer or the way it is sent. */
function isPlain({ headers }: IncomingMessage): boolean {
  return (
    headers.host !== undefined &&
    headers.authorization !== undefined &&
    headers['accept-encoding'] === undefined &&
    headers['if-none-match'] === undefined &&
    headers.expect === undefined
  )
}

function endOfPath(url: string): number {
  const end = url.indexOf('?')
  return end === -1 ? url.length : end
}

/** What a query says, or null where that takes more than to cut it. */
function plainQuery(text: string): RawQuery | null {
  const query: Record<string, string> = Object.create(null)
  if (!plainText.test(text)) return null
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf('&', start)
    const end = next === -1 ? text.length : next
    const middle = text.indexOf('=', start)
    if (middle <= start || middle >= end) return null
    const name = text.slice(start, middle)
    const value = text.slice(middle + 1, end)
    if (name in query || value.includes('=')) return null
    query[name] = value
    start = end + 1
  }
  return query
}

/** What is not there at once is asked again by the framework's way, where its failure is told as well: here it is nobody's. */
function isPending(value: unknown): value is Promise<unknown> {
  if (!(value instanceof Promise)) return false
  value.catch(() => {})
  return true
}

const plainText = /^[\w.=&-]*$/
