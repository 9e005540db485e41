/** What is asked of the server, under names by which answers are kept and made stale. */
import { QueryClient, queryOptions } from '@tanstack/react-query'
import type { DashboardState, QueryOf } from './api/answers.ts'
import { api } from './api/client.ts'
import { Problem, sessionEnded } from './api/problem.ts'

const isWorthRetrying = (failures: number, error: Error): boolean =>
  error instanceof Problem && ['SERVER_ERROR', 'OVERLOADED'].includes(error.code) && failures < 2

export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      // The server may well be on this very machine: whether there is an internet is no matter.
      queries: { retry: isWorthRetrying, staleTime: 1_000, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  })

const stateKey = ['state'] as const

export const stateQuery = queryOptions({
  queryKey: stateKey,
  async queryFn({ signal, client }) {
    const state = await api.state(signal)
    const before = client.getQueryData<DashboardState>(stateKey)
    if (!before?.account || state.account) return state
    // A session that ends in the middle of work: the page stays, and asks to sign in again.
    sessionEnded.set(true)
    return before
  },
})
export const keysQuery = queryOptions({ queryKey: ['keys'], queryFn: ({ signal }) => api.keys(signal) })
export const usageQuery = queryOptions({ queryKey: ['usage'], queryFn: ({ signal }) => api.usage(signal) })
export const usersQuery = queryOptions({ queryKey: ['users'], queryFn: ({ signal }) => api.users(signal) })

export const overviewQuery = (siteId: string, query: QueryOf<'getOverview'>) =>
  queryOptions({
    queryKey: ['site', siteId, 'overview', query],
    queryFn: ({ signal }) => api.overview(siteId, query, signal),
    // Numbers stay while the next ones are on their way, but never those of another site.
    placeholderData: (previous, previousQuery) =>
      previousQuery?.queryKey[1] === siteId ? previous : undefined,
  })

/** Who brought those who converted, of the days that the overview shows. */
export const attributionQuery = (siteId: string, query: QueryOf<'getAttribution'>) =>
  queryOptions({
    queryKey: ['site', siteId, 'attribution', query],
    queryFn: ({ signal }) => api.attribution(siteId, query, signal),
    placeholderData: (previous, previousQuery) =>
      previousQuery?.queryKey[1] === siteId ? previous : undefined,
  })

const healthPaceMs = 60_000

/** Fetched again at an interval, because no message arrives when data stops arriving. */
export const healthQuery = (siteId: string) =>
  queryOptions({
    queryKey: ['site', siteId, 'health'],
    queryFn: ({ signal }) => api.health(siteId, signal),
    refetchInterval: healthPaceMs,
  })

export const drainsQuery = (siteId: string) =>
  queryOptions({
    queryKey: ['site', siteId, 'drains'],
    queryFn: ({ signal }) => api.drains(siteId, signal),
  })

export const explanationQuery = (siteId: string, position: string) =>
  queryOptions({
    queryKey: ['site', siteId, 'explanation', position],
    queryFn: ({ signal }) => api.explanation(siteId, position, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
