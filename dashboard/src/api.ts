/** Talks to the server: typed questions, and two things the whole page must know: that the session ended, or that nobody answers. */

import type { Scope } from '../../src/domain/account.ts'
import type { PlanName } from '../../src/domain/plan.ts'
import type {
  DashboardState,
  EventPageView,
  ExplanationView,
  KeyView,
  SiteView,
  UsageView,
  UserView,
} from '../../src/http/dashboard/views.ts'
import type { OverviewReport } from '../../src/reports/overview.ts'
import { Signal } from './signal.ts'

export class Problem extends Error {
  readonly code: string
  readonly retryAfterSeconds: number | null

  constructor(code: string, message: string, retryAfterSeconds: number | null = null) {
    super(message)
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** True from the first answer that says so until somebody has signed in again. */
export const sessionEnded = new Signal(false)
/** True while the server cannot be reached. */
export const connectionLost = new Signal(false)

export const pageHeaders = { 'x-footfall-page': 'dashboard' }
const root = '/app/api'

async function ask<Answer>(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Answer> {
  const response = await reach(root + path, {
    method,
    signal: signal ?? null,
    headers: body === undefined ? pageHeaders : { ...pageHeaders, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  })
  if (!response.ok) throw await problemOf(response)
  return (await response.json()) as Answer
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, init)
    connectionLost.set(false)
    return response
  } catch (error) {
    if (init.signal?.aborted) throw error
    connectionLost.set(true)
    throw new Problem('UNREACHABLE', 'The server does not answer.')
  }
}

export async function problemOf(response: Pick<Response, 'status' | 'json'>): Promise<Problem> {
  const said = (await response.json().catch(() => null)) as {
    code?: string
    error?: string
    retry_after?: number
  } | null
  if (said?.code === 'SIGNED_OUT') sessionEnded.set(true)
  return new Problem(
    said?.code ?? 'SERVER_ERROR',
    said?.error ?? `The server answered with status ${response.status}.`,
    said?.retry_after ?? null,
  )
}

const get = <Answer>(path: string, signal?: AbortSignal) => ask<Answer>('GET', path, undefined, signal)

export interface Credentials {
  readonly email: string
  readonly password: string
}

const at = (siteId: string): string => `/sites/${encodeURIComponent(siteId)}`

export const api = {
  state: (signal?: AbortSignal) => get<DashboardState>('/state', signal),
  createOwner: (credentials: Credentials) => ask<DashboardState>('POST', '/owner', credentials),
  signUp: (credentials: Credentials) => ask<DashboardState>('POST', '/sign-up', credentials),
  signIn: (credentials: Credentials) => ask<DashboardState>('POST', '/sign-in', credentials),
  signOut: () => ask<DashboardState>('POST', '/sign-out'),
  signOutEverywhere: () => ask<DashboardState>('POST', '/sign-out-everywhere'),
  changePassword: (current: string, next: string) =>
    ask<DashboardState>('POST', '/password', { current, next }),
  deleteAccount: (password: string) => ask<DashboardState>('DELETE', '/account', { password }),
  addSite: (domain: string) => ask<SiteView>('POST', '/sites', { domain }),
  renameSite: (siteId: string, domain: string) => ask<{ domain: string }>('PATCH', at(siteId), { domain }),
  removeSite: (siteId: string, domain: string) => ask<object>('DELETE', at(siteId), { domain }),
  keys: (signal?: AbortSignal) => get<KeyView[]>('/keys', signal),
  makeKey: (name: string, scopes: readonly Scope[]) =>
    ask<{ key: KeyView; secret: string }>('POST', '/keys', { name, scopes }),
  revokeKey: (keyId: string) => ask<object>('DELETE', `/keys/${encodeURIComponent(keyId)}`),
  usage: (signal?: AbortSignal) => get<UsageView>('/usage', signal),
  users: (signal?: AbortSignal) => get<UserView[]>('/users', signal),
  setPlan: (userId: string, plan: PlanName) =>
    ask<object>('PATCH', `/users/${encodeURIComponent(userId)}`, { plan }),
  removeUser: (userId: string, email: string) =>
    ask<object>('DELETE', `/users/${encodeURIComponent(userId)}`, { email }),
  overview: (siteId: string, query: URLSearchParams, signal?: AbortSignal) =>
    get<OverviewReport>(`${at(siteId)}/overview?${query}`, signal),
  events: (siteId: string, query: URLSearchParams, signal?: AbortSignal) =>
    get<EventPageView>(`${at(siteId)}/events?${query}`, signal),
  explanation: (siteId: string, position: string, signal?: AbortSignal) =>
    get<ExplanationView>(`${at(siteId)}/events/${encodeURIComponent(position)}`, signal),
}

export const liveUrl = (siteId: string): string => `${root}${at(siteId)}/live`
export const importUrl = (siteId: string): string => `${root}${at(siteId)}/import`

/** Resolves to whether the server answers at all. */
export const isReachable = (): Promise<boolean> =>
  fetch('/healthz', { cache: 'no-store' }).then(
    response => response.ok,
    () => false,
  )
