/** Checks every request of the dashboard: the session in its cookie, and that changes come only from the dashboard's own pages. */
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { siteNotFound } from '../../accounts/access.ts'
import { DashboardError } from './dashboard-error.ts'
import type { DashboardParts } from './dashboard-parts.ts'

export const pageHeader = 'x-pugmark-page'

/**
 * Refuses changes that another site's page asks for in a visitor's name. The cookie is SameSite=Strict already; a header that no form
 * can send, and that scripts of other origins may not, holds where a browser does not know that.
 */
export function refuseForeignPages(request: FastifyRequest): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const { [pageHeader]: page, 'sec-fetch-site': fetchSite, origin } = request.headers
  const isForeign =
    fetchSite === undefined ? isForeignOrigin(origin, request.host) : fetchSite !== 'same-origin'
  if (page === undefined || isForeign) {
    throw new DashboardError('NOT_ALLOWED', 'This can only be asked for by a page of the dashboard itself.')
  }
}

const isForeignOrigin = (origin: string | undefined, host: string): boolean =>
  origin !== undefined && URL.parse(origin)?.host !== host

/** The headers that sessions are found by. */
export const cookieHeaders = (request: FastifyRequest): Headers =>
  new Headers(request.headers.cookie === undefined ? {} : { cookie: request.headers.cookie })

/** Cookies travel only encrypted where the page did. */
export function setCookies(request: FastifyRequest, reply: FastifyReply, cookies: readonly string[]): void {
  for (const cookie of cookies) {
    reply.header('set-cookie', request.protocol === 'https' ? `${cookie}; Secure` : cookie)
  }
}

/** An admission for routes that need somebody signed in, and a site of his when their path has `:siteId`. */
export function requireSession(parts: DashboardParts): onRequestAsyncHookHandler {
  return async (request, reply) => {
    refuseForeignPages(request)
    const session = await parts.sessions.find(cookieHeaders(request))
    if (!session) throw new DashboardError('SIGNED_OUT', 'Sign in to go on.')
    setCookies(request, reply, session.cookies)
    request.person = session.account
    const { siteId } = request.params as { siteId?: string }
    if (siteId === undefined) return
    const site = await parts.stores.accounts.findSite(siteId)
    if (site?.accountId !== session.account.id) throw siteNotFound()
    request.site = site
  }
}

/** As requireSession, for the owner of the instance alone. */
export function requireOwner(parts: DashboardParts): onRequestAsyncHookHandler {
  const admit = requireSession(parts)
  return async function (request, reply) {
    await admit.call(this, request, reply)
    if (!request.person.isOwner) {
      throw new DashboardError('NOT_ALLOWED', 'Only the owner of this Pugmark sees this.')
    }
  }
}
