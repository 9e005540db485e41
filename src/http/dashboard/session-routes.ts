/** Signs people in and out, makes the first account, and tells the dashboard what to show before anybody has signed in. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { createOwner, signUp } from '../../accounts/logins.ts'
import { listSites } from '../../accounts/sites.ts'
import { removeUser } from '../../accounts/users.ts'
import type { Account } from '../../domain/account.ts'
import { DashboardError } from './dashboard-error.ts'
import type { DashboardParts } from './dashboard-parts.ts'
import { dashboardSchema } from './describe-routes.ts'
import { bodyReader } from './read-body.ts'
import { cookieHeaders, refuseForeignPages, requireSession, setCookies } from './session-admission.ts'
import { siteView } from './site-routes.ts'
import { AccountRemoval, Credentials, DashboardState, PasswordChange } from './views.ts'

const newAccountsPerMinuteMax = 10
/** From one client address, whatever the emails. */
const wrongPerMinuteMax = 60

export function sessionRoutes(app: FastifyInstance, parts: DashboardParts): void {
  const { sessions, stores, clock } = parts
  const readCredentials = bodyReader(Credentials)
  const readChange = bodyReader(PasswordChange)
  const readRemoval = bodyReader(AccountRemoval)
  const admit = requireSession(parts)
  const fromPage = async (request: FastifyRequest): Promise<void> => refuseForeignPages(request)
  /** All of these answer with the state that they leave behind. */
  const schema = (operationId: string, body?: TSchema) =>
    dashboardSchema({ operationId, ok: DashboardState, ...(body && { body }) })

  app.get(
    '/app/api/state',
    { schema: schema('getState') },
    async (request, reply): Promise<DashboardState> => {
      const session = await sessions.find(cookieHeaders(request))
      if (session) setCookies(request, reply, session.cookies)
      return stateOf(parts, session?.account ?? null)
    },
  )

  app.post(
    '/app/api/owner',
    { schema: schema('createOwner', Credentials), onRequest: fromPage },
    async (request, reply) => {
      limitNewAccounts(parts, request)
      const credentials = readCredentials(request)
      await createOwner(parts, credentials)
      return signIn(parts, request, reply, credentials)
    },
  )

  app.post(
    '/app/api/sign-up',
    { schema: schema('signUp', Credentials), onRequest: fromPage },
    async (request, reply) => {
      if (parts.signup !== 'open')
        throw new DashboardError('NOT_ALLOWED', 'Nobody can sign up here: ask the owner for an account.')
      limitNewAccounts(parts, request)
      const credentials = readCredentials(request)
      await signUp(parts, credentials)
      return signIn(parts, request, reply, credentials)
    },
  )

  app.post(
    '/app/api/sign-in',
    { schema: schema('signIn', Credentials), onRequest: fromPage },
    async (request, reply) => signIn(parts, request, reply, readCredentials(request)),
  )

  app.post(
    '/app/api/sign-out',
    { schema: schema('signOut'), onRequest: fromPage },
    async (request, reply) => {
      setCookies(request, reply, await sessions.signOut(cookieHeaders(request)))
      return stateOf(parts, null)
    },
  )

  app.post(
    '/app/api/sign-out-everywhere',
    { schema: schema('signOutEverywhere'), onRequest: admit },
    async (request, reply) => {
      await sessions.signOutEverywhere(request.person)
      setCookies(request, reply, await sessions.signOut(cookieHeaders(request)))
      return stateOf(parts, null)
    },
  )

  app.post(
    '/app/api/password',
    { schema: schema('changePassword', PasswordChange), onRequest: admit },
    async (request, reply) => {
      const { current, next } = readChange(request)
      await requirePassword(parts, request, request.person, current)
      await sessions.setPassword(request.person, next)
      return signIn(parts, request, reply, { email: request.person.email, password: next })
    },
  )

  app.delete(
    '/app/api/account',
    { schema: schema('removeAccount', AccountRemoval), onRequest: admit },
    async (request, reply) => {
      const { password } = readRemoval(request)
      await requirePassword(parts, request, request.person, password)
      const others = request.person.isOwner ? (await stores.accounts.listAccounts()).length - 1 : 0
      if (others > 0) {
        throw new DashboardError(
          'REFUSED',
          `You own this Pugmark, and ${others} other ${others === 1 ? 'account is' : 'accounts are'} still on it. Remove them first.`,
        )
      }
      await removeUser({ stores, clock }, request.person)
      setCookies(request, reply, await sessions.signOut(cookieHeaders(request)))
      return stateOf(parts, null)
    },
  )
}

async function stateOf(parts: DashboardParts, account: Account | null): Promise<DashboardState> {
  const owner = await parts.stores.accounts.findOwner()
  return {
    needsOwner: owner === null,
    signupOpen: owner !== null && parts.signup === 'open',
    version: parts.version,
    catalogueVersion: parts.detector.catalogueVersion,
    supportEmail: parts.supportEmail,
    account: account && {
      email: account.email,
      plan: account.plan,
      isOwner: account.isOwner,
      hourly: parts.plans[account.plan].hourlySeries,
    },
    sites: account ? (await listSites(parts, account)).map(siteView) : [],
  }
}

async function signIn(
  parts: DashboardParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { email, password }: Static<typeof Credentials>,
): Promise<DashboardState> {
  const names = paceNames(request, email)
  refuseHaste(parts, request, names)
  const cookies = await parts.sessions.signIn(email, password)
  const account = cookies && (await parts.stores.accounts.findAccountByEmail(email))
  if (!cookies || !account) {
    countWrong(parts, request, names)
    throw new DashboardError('WRONG_CREDENTIALS', 'Email or password is wrong.')
  }
  parts.pace.right(names)
  setCookies(request, reply, cookies)
  return stateOf(parts, account)
}

async function requirePassword(
  parts: DashboardParts,
  request: FastifyRequest,
  account: Account,
  password: string,
): Promise<void> {
  const names = paceNames(request, account.email)
  refuseHaste(parts, request, names)
  if (await parts.sessions.isPassword(account, password)) {
    parts.pace.right(names)
    return
  }
  countWrong(parts, request, names)
  throw new DashboardError('WRONG_CREDENTIALS', 'The password is wrong.')
}

/** An address may belong to a whole office, and an email to somebody whom others want to lock out: only both together are slowed. */
const paceNames = (request: FastifyRequest, email: string): string[] => [
  `${request.ip} ${email.toLowerCase()}`,
]

function countWrong(parts: DashboardParts, request: FastifyRequest, names: readonly string[]): void {
  parts.pace.wrong(names, parts.clock())
  parts.failureLimiter.take(`sign-in ${request.ip}`, wrongPerMinuteMax, parts.clock())
}

function refuseHaste(parts: DashboardParts, request: FastifyRequest, names: readonly string[]): void {
  const now = parts.clock()
  const ofAddress = parts.failureLimiter.peek(`sign-in ${request.ip}`, wrongPerMinuteMax, now)
  const waitMs = parts.pace.waitMs(names, now)
  if (waitMs === 0 && ofAddress.allowed) return
  const seconds = Math.max(Math.ceil(waitMs / 1000), ofAddress.allowed ? 0 : ofAddress.retryAfterSeconds)
  throw new DashboardError('TOO_MANY_TRIES', `Too many tries. Wait ${seconds} s and try again.`, seconds)
}

function limitNewAccounts({ failureLimiter, clock }: DashboardParts, request: FastifyRequest): void {
  const verdict = failureLimiter.take(`new account ${request.ip}`, newAccountsPerMinuteMax, clock())
  if (verdict.allowed) return
  throw new DashboardError(
    'TOO_MANY_TRIES',
    `Too many tries. Wait ${verdict.retryAfterSeconds} s and try again.`,
    verdict.retryAfterSeconds,
  )
}
