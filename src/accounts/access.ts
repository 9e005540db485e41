/** Who may: from an Authorization header to a caller, and from a caller and a site id to a site that is his. */
import { type Account, type ApiKey, planOf, type Scope, type Site } from '../domain/account.ts'
import { AppError } from '../domain/errors.ts'
import { hashApiKey, isApiKey } from '../domain/ids.ts'
import type { Plan, PlanTable } from '../domain/plan.ts'
import { type Soon, whenKnown } from '../domain/soon.ts'
import type { AccountStore } from '../storage/account-store.ts'

export interface Caller {
  readonly key: ApiKey
  readonly account: Account
  readonly plan: Plan
}

export interface AccessParts {
  readonly accounts: AccountStore
  readonly plans: PlanTable
}

const bearer = /^bearer +([^\s]+) *$/i

/**
 * Hashes by Authorization header of keys that were let in, so that a program that asks again and again costs a look-up instead of
 * a hash (row 1 of docs/performance.md). Whether the key still counts is asked every time. Beyond this many it starts again empty.
 */
const rememberedMax = 1_000
const hashes = new Map<string, string>()

/** Throws MISSING_KEY, INVALID_KEY or USER_NOT_FOUND. */
export function authenticate(parts: AccessParts, authorization: string | undefined): Soon<Caller> {
  if (authorization === undefined) {
    throw new AppError(
      'MISSING_KEY',
      'This needs an API key in the header "Authorization: Bearer <API key>".',
    )
  }
  const known = hashes.get(authorization)
  const keyHash = known ?? hashApiKey(tokenOf(authorization))
  return whenKnown(parts.accounts.findKey(keyHash), owner => {
    if (!owner) {
      hashes.delete(authorization)
      throw isApiKey(tokenOf(authorization)) ? unknownKey() : notAKey()
    }
    if (!owner.account) {
      throw new AppError('USER_NOT_FOUND', 'The account that this API key belongs to no longer exists.')
    }
    if (known === undefined) remember(authorization, keyHash)
    return { key: owner.key, account: owner.account, plan: planOf(parts.plans, owner.account) }
  })
}

function tokenOf(authorization: string): string {
  const token = bearer.exec(authorization)?.[1]
  if (token === undefined) throw notAKey()
  return token
}

function remember(authorization: string, keyHash: string): void {
  if (hashes.size >= rememberedMax) hashes.clear()
  hashes.set(authorization, keyHash)
}

const notAKey = (): AppError =>
  new AppError(
    'INVALID_KEY',
    'The Authorization header must be "Bearer", a space and an API key as it was shown when it was made.',
  )
const unknownKey = (): AppError => new AppError('INVALID_KEY', 'This API key is unknown or was revoked.')

/** Throws INSUFFICIENT_SCOPE. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.key.scopes.includes(scope)) return
  throw new AppError(
    'INSUFFICIENT_SCOPE',
    `This API key has the scope ${caller.key.scopes.join(', ')}; this operation needs ${scope}.`,
  )
}

/** The site, if it is the caller's. Absent and foreign sites give the same error. Throws MISSING_SITE_ID, SITE_NOT_FOUND. */
export function requireSite(parts: AccessParts, caller: Caller, siteId: string): Soon<Site> {
  if (siteId === '') {
    throw new AppError('MISSING_SITE_ID', 'The path lacks the site id: /api/v1/sites/{siteId}/…')
  }
  return whenKnown(parts.accounts.findSite(siteId), site => {
    if (site?.accountId !== caller.account.id) throw siteNotFound()
    return site
  })
}

export const siteNotFound = (): AppError =>
  new AppError('SITE_NOT_FOUND', 'No site of this account has the id in the path.')

/** Throws PLAN_REQUIRED. */
export function requireHourlySeries(caller: Caller, supportEmail: string | null): void {
  if (caller.plan.hourlySeries) return
  const contact = supportEmail ? `contact support at ${supportEmail}` : 'ask whoever runs this Pugmark'
  throw new AppError(
    'PLAN_REQUIRED',
    `granularity=hour needs the Pro plan; this account has the plan ${caller.account.plan}. To change it, ${contact}.`,
  )
}
