/** Checks every API request before anything else: key, rate limit, scope and site, in this order. */
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { authenticate, requireScope, requireSite } from '../accounts/access.ts'
import type { RateVerdict } from '../accounts/rate-limit.ts'
import type { Scope } from '../domain/account.ts'
import { AppError } from '../domain/errors.ts'
import type { HttpParts } from './http-parts.ts'

/** Failed authentications a minute and client address before they are answered with 429. */
const failuresPerMinuteMax = 300

/** An admission for routes that need a key with `scope`, and a site of the caller when their path has `:siteId`. */
export function admit(parts: HttpParts, scope: Scope): onRequestAsyncHookHandler {
  const access = { accounts: parts.stores.accounts, plans: parts.plans }
  return async request => {
    const { siteId = null } = request.params as { siteId?: string }
    const { caller, site, revision } = await authenticate(
      access,
      request.headers.authorization,
      siteId,
    ).catch(error => {
      throw refuseGuessing(parts, request, error)
    })
    const now = parts.clock()
    request.caller = caller
    parts.keyUse.used(caller.key.id, now)
    // Recording is bounded by the quota instead.
    if (scope === 'read') countRequest(parts, request, now)
    requireScope(caller, scope)
    if (siteId === null) return
    request.site = requireSite(caller, siteId, site)
    request.revision = revision
  }
}

function countRequest(parts: HttpParts, request: FastifyRequest, now: number): void {
  const { account, plan } = request.caller
  const verdict = parts.requestLimiter.take(account.id, plan.requestsPerMinute, now)
  request.allowance = verdict
  if (verdict.allowed) return
  throw new AppError(
    'RATE_LIMITED',
    `The plan ${account.plan} allows ${verdict.limit} requests a minute; wait ${verdict.retryAfterSeconds} s.`,
    { retryAfterSeconds: verdict.retryAfterSeconds },
  )
}

/** For what costs something before it can be refused. Throws RATE_LIMITED for an address that has failed too often. */
export function requirePatience(parts: HttpParts, request: FastifyRequest): void {
  const verdict = parts.failureLimiter.peek(request.ip, failuresPerMinuteMax, parts.clock())
  if (!verdict.allowed) throw tooManyFailures(verdict)
}

/** The error to answer a failed authentication with: itself, or a 429 for an address that fails again and again. */
export function refuseGuessing(parts: HttpParts, request: FastifyRequest, error: unknown): Error {
  if (!(error instanceof AppError)) return error as Error
  const verdict = parts.failureLimiter.take(request.ip, failuresPerMinuteMax, parts.clock())
  return verdict.allowed ? error : tooManyFailures(verdict)
}

const tooManyFailures = ({ retryAfterSeconds }: RateVerdict): AppError =>
  new AppError(
    'RATE_LIMITED',
    `Too many failed authentications from this address; wait ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  )
