/** The door of every API route: key, rate limit, scope and site, in this order, before anything else is looked at. */
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { authenticate, type Caller, requireScope, requireSite } from '../accounts/access.ts'
import type { RateVerdict } from '../accounts/rate-limit.ts'
import type { Scope } from '../domain/account.ts'
import { AppError } from '../domain/errors.ts'
import { type Soon, whenKnown } from '../domain/soon.ts'
import type { HttpParts } from './http-parts.ts'

/** Failed authentications a minute and client address before they are answered with 429. */
const failuresPerMinuteMax = 300

/** An admission for routes that need a key with `scope`, and a site of the caller when their path has `:siteId`. */
export function admit(parts: HttpParts, scope: Scope): onRequestHookHandler {
  const access = { accounts: parts.stores.accounts, plans: parts.plans }

  const admitCaller = (request: FastifyRequest, caller: Caller): Soon<void> => {
    const now = parts.clock()
    request.caller = caller
    parts.keyUse.used(caller.key.id, now)
    // Recording is bounded by the quota instead.
    if (scope === 'read') countRequest(parts, request, now)
    requireScope(caller, scope)
    const { siteId } = request.params as { siteId?: string }
    if (siteId === undefined) return
    return whenKnown(requireSite(access, caller, siteId), site => {
      request.site = site
    })
  }

  // With a callback, not async: a key and a site that are remembered let the request pass in the same turn.
  return (request, _reply, done) => {
    parts.stores.beginRequest()
    let caller: Soon<Caller>
    try {
      caller = authenticate(access, request.headers.authorization)
    } catch (error) {
      done(refuseGuessing(parts, request, error))
      return
    }
    if (caller instanceof Promise) {
      caller
        .catch(error => {
          throw refuseGuessing(parts, request, error)
        })
        .then(found => admitCaller(request, found))
        .then(() => done(), done)
      return
    }
    try {
      const admitted = admitCaller(request, caller)
      if (admitted instanceof Promise) admitted.then(() => done(), done)
      else done()
    } catch (error) {
      done(error as Error)
    }
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
