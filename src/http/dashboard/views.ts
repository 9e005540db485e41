/** What the dashboard's own routes answer with, as types that the dashboard shares. */
import type { Scope } from '../../domain/account.ts'
import type { Arrival, EventType } from '../../domain/event.ts'
import type { PlanName } from '../../domain/plan.ts'

export interface SiteView {
  readonly id: string
  readonly domain: string
  /** Public tracking key. */
  readonly key: string
  readonly eventsThisMonth: number
  readonly createdAt: number
}

export interface DashboardState {
  /** Nobody owns this instance yet. */
  readonly needsOwner: boolean
  readonly signupOpen: boolean
  readonly version: string
  readonly catalogueVersion: string
  readonly supportEmail: string | null
  readonly account: {
    readonly email: string
    readonly plan: PlanName
    readonly isOwner: boolean
    /** Whether the plan has hourly series. */
    readonly hourly: boolean
  } | null
  /** Oldest first. */
  readonly sites: readonly SiteView[]
}

export interface KeyView {
  readonly id: string
  readonly name: string
  readonly lastFour: string
  readonly scopes: readonly Scope[]
  readonly createdAt: number
  readonly lastUsedAt: number | null
  readonly revokedAt: number | null
}

export interface UsageView {
  /** As YYYY-MM. */
  readonly month: string
  readonly used: number
  /** Null is unlimited. */
  readonly limit: number | null
  readonly requestsPerMinute: number
  /** What was recorded for sites that are gone. */
  readonly removedSites: number
}

export interface UserView {
  readonly id: string
  readonly email: string
  readonly plan: PlanName
  readonly isOwner: boolean
  readonly createdAt: number
  readonly sites: readonly string[]
  readonly eventsThisMonth: number
  readonly limit: number | null
}

export interface EventView {
  readonly id: number
  /** Names the event to the route that explains it. */
  readonly position: string
  readonly type: EventType
  readonly name: string
  readonly company: string
  readonly path: string
  readonly country: string
  readonly at: number
  readonly value: number | null
}

export interface EventPageView {
  readonly events: readonly EventView[]
  /** Null when nothing follows. */
  readonly next: string | null
}

export interface ExplanationView {
  readonly event: EventView
  readonly arrival: Arrival
  readonly userAgent: string | null
  readonly referrerHost: string | null
  readonly status: number | null
  readonly rule: string | null
  readonly catalogueVersion: string | null
  /** What today's catalogue knows of the name. */
  readonly entry: {
    readonly purpose: string | null
    readonly confidence: string
    readonly docs: string | null
    readonly notes: string | null
  } | null
  /** What today's catalogue makes of the same user agent: a name, or null when it finds no bot in it. */
  readonly today: { readonly catalogueVersion: string; readonly bot: string | null } | null
}

export interface LiveMessage {
  /** Changes whenever any number of the site may have changed. */
  readonly revision: number
  /** Those that are new, oldest first; the newest of them when there are many. */
  readonly events: readonly EventView[]
  /** How many more there were. */
  readonly skipped: number
}
