/** Checks access: finds the caller of an Authorization header, and lets callers reach only the sites of their own account. */
import { type Account, type ApiKey, planOf, type Scope, type Site } from '../domain/account.ts'
import { AppError, contactOf } from '../domain/errors.ts'
import { hashApiKey, isApiKey } from '../domain/ids.ts'
import type { Plan, PlanTable } from '../domain/plan.ts'
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

export interface Admitted {
  readonly caller: Caller
  /** Null when no site has the requested id. The site may belong to another account. */
  readonly site: Site | null
  /** Data version of the site. */
  readonly revision: number
}

const bearer = /^bearer +([^\s]+) *$/i

/** Finds the owner of a request's key and the site with the given id. Throws MISSING_KEY, INVALID_KEY or USER_NOT_FOUND. */
export async function authenticate(
  { accounts, plans }: AccessParts,
  authorization: string | undefined,
  siteId: string | null,
): Promise<Admitted> {
  if (authorization === undefined) {
    throw new AppError(
      'MISSING_KEY',
      'This needs an API key in the header "Authorization: Bearer <API key>".',
    )
  }
  const token = bearer.exec(authorization)?.[1]
  if (token === undefined) throw notAKey()
  const { owner, site, revision } = await accounts.admit({ keyHash: hashApiKey(token), siteId })
  if (!owner) throw isApiKey(token) ? unknownKey() : notAKey()
  const { key, account } = owner
  if (!account) {
    throw new AppError('USER_NOT_FOUND', 'The account that this API key belongs to no longer exists.')
  }
  return { caller: { key, account, plan: planOf(plans, account) }, site, revision }
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

/** The site, if it belongs to the caller's account. Missing and foreign sites give the same error. Throws MISSING_SITE_ID or SITE_NOT_FOUND. */
export function requireSite({ account }: Caller, siteId: string, site: Site | null): Site {
  if (siteId === '') {
    throw new AppError('MISSING_SITE_ID', 'The path lacks the site id: /api/v1/sites/{siteId}/…')
  }
  if (site?.accountId !== account.id) throw siteNotFound()
  return site
}

export const siteNotFound = (): AppError =>
  new AppError('SITE_NOT_FOUND', 'No site of this account has the id in the path.')

/** Throws PLAN_REQUIRED. */
export function requireHourlySeries(caller: Caller, supportEmail: string | null): void {
  if (caller.plan.hourlySeries) return
  throw new AppError(
    'PLAN_REQUIRED',
    `granularity=hour needs the Pro plan; this account has the plan ${caller.account.plan}. To change it, ${contactOf(supportEmail)}.`,
  )
}
