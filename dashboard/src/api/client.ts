/** Talks to the server by the paths and types of the generated schema. */
import createClient from 'openapi-fetch'
import type { BodyOf, PlanName, QueryOf } from './answers.ts'
import { connectionLost, Problem, problemOf } from './problem.ts'
import type { paths } from './schema.ts'

/** Tells the server that it is a page of its own that asks. */
export const pageHeaders = { 'x-pugmark-page': 'dashboard' }

const client = createClient<paths>({ fetch: reach, headers: pageHeaders })

async function reach(request: Request): Promise<Response> {
  try {
    const response = await fetch(request)
    connectionLost.set(false)
    return response
  } catch (error) {
    if (request.signal.aborted) throw error
    connectionLost.set(true)
    throw new Problem('UNREACHABLE', 'The server does not answer.')
  }
}

interface Asked<Data> {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}

async function answerOf<Data>(asked: Promise<Asked<Data>>): Promise<Data> {
  const { data, error, response } = await asked
  if (data === undefined) throw problemOf(response.status, error)
  return data
}

const site = (siteId: string) => ({ path: { siteId } })

/** Each throws a Problem when it is refused, or when nobody answers. */
export const api = {
  state: (signal: AbortSignal) => answerOf(client.GET('/app/api/state', { signal })),
  createOwner: (body: BodyOf<'createOwner'>) => answerOf(client.POST('/app/api/owner', { body })),
  signUp: (body: BodyOf<'signUp'>) => answerOf(client.POST('/app/api/sign-up', { body })),
  signIn: (body: BodyOf<'signIn'>) => answerOf(client.POST('/app/api/sign-in', { body })),
  signOut: () => answerOf(client.POST('/app/api/sign-out')),
  signOutEverywhere: () => answerOf(client.POST('/app/api/sign-out-everywhere')),
  changePassword: (body: BodyOf<'changePassword'>) => answerOf(client.POST('/app/api/password', { body })),
  removeAccount: (password: string) => answerOf(client.DELETE('/app/api/account', { body: { password } })),
  addSite: (domain: string) => answerOf(client.POST('/app/api/sites', { body: { domain } })),
  renameSite: (siteId: string, domain: string) =>
    answerOf(client.PATCH('/app/api/sites/{siteId}', { params: site(siteId), body: { domain } })),
  removeSite: (siteId: string, domain: string) =>
    answerOf(client.DELETE('/app/api/sites/{siteId}', { params: site(siteId), body: { domain } })),
  keys: (signal: AbortSignal) => answerOf(client.GET('/app/api/keys', { signal })),
  makeKey: (body: BodyOf<'makeKey'>) => answerOf(client.POST('/app/api/keys', { body })),
  revokeKey: (keyId: string) =>
    answerOf(client.DELETE('/app/api/keys/{keyId}', { params: { path: { keyId } } })),
  drains: (siteId: string, signal: AbortSignal) =>
    answerOf(client.GET('/app/api/sites/{siteId}/drains', { params: site(siteId), signal })),
  makeDrain: (siteId: string, body: BodyOf<'makeDrain'>) =>
    answerOf(client.POST('/app/api/sites/{siteId}/drains', { params: site(siteId), body })),
  removeDrain: (siteId: string, drainId: string) =>
    answerOf(
      client.DELETE('/app/api/sites/{siteId}/drains/{drainId}', { params: { path: { siteId, drainId } } }),
    ),
  health: (siteId: string, signal: AbortSignal) =>
    answerOf(client.GET('/app/api/sites/{siteId}/health', { params: site(siteId), signal })),
  attribution: (siteId: string, query: QueryOf<'getAttribution'>, signal: AbortSignal) =>
    answerOf(
      client.GET('/app/api/sites/{siteId}/attribution', { params: { ...site(siteId), query }, signal }),
    ),
  usage: (signal: AbortSignal) => answerOf(client.GET('/app/api/usage', { signal })),
  users: (signal: AbortSignal) => answerOf(client.GET('/app/api/users', { signal })),
  changePlan: (userId: string, plan: PlanName) =>
    answerOf(client.PATCH('/app/api/users/{userId}', { params: { path: { userId } }, body: { plan } })),
  removeUser: (userId: string, email: string) =>
    answerOf(client.DELETE('/app/api/users/{userId}', { params: { path: { userId } }, body: { email } })),
  overview: (siteId: string, query: QueryOf<'getOverview'>, signal: AbortSignal) =>
    answerOf(client.GET('/app/api/sites/{siteId}/overview', { params: { ...site(siteId), query }, signal })),
  events: (siteId: string, query: QueryOf<'listEvents'>, signal: AbortSignal) =>
    answerOf(client.GET('/app/api/sites/{siteId}/events', { params: { ...site(siteId), query }, signal })),
  explanation: (siteId: string, position: string, signal: AbortSignal) =>
    answerOf(
      client.GET('/app/api/sites/{siteId}/events/{position}', {
        params: { path: { siteId, position } },
        signal,
      }),
    ),
}

/** For what fetch cannot do: streams that go on, and uploads that say how far they are. */
const siteUrl = (path: keyof paths, siteId: string): string =>
  path.replace('{siteId}', encodeURIComponent(siteId))
export const liveUrl = (siteId: string): string => siteUrl('/app/api/sites/{siteId}/live', siteId)
export const importUrl = (siteId: string): string => siteUrl('/app/api/sites/{siteId}/import', siteId)

/** Resolves to whether the server answers at all. */
export const isReachable = (): Promise<boolean> =>
  fetch('/healthz', { cache: 'no-store' }).then(
    response => response.ok,
    () => false,
  )
