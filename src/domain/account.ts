/** Accounts, their sites and their API keys, as records. */
import type { DrainKind } from './event.ts'
import type { Plan, PlanName, PlanTable } from './plan.ts'

export interface Account {
  /** `usr_…` */
  readonly id: string
  /** Small unique integer that stored events and usage refer to. */
  readonly number: number
  readonly email: string
  readonly plan: PlanName
  /** Whoever set this instance up: no quota, and sees all accounts. */
  readonly isOwner: boolean
  readonly createdAt: number
}

/** What an account may do: its plan, which for the owner has no quota. */
export const planOf = (plans: PlanTable, { plan, isOwner }: Account): Plan =>
  isOwner ? { ...plans[plan], eventsPerMonth: null } : plans[plan]

export interface Site {
  /** `site_…` */
  readonly id: string
  /** Small unique integer that stored events refer to; never given out again. */
  readonly number: number
  readonly accountId: string
  readonly domain: string
  /** `ak_…`, the public tracking key. */
  readonly key: string
  readonly createdAt: number
}

/** A log drain that needs more than an API key: one that signs what it sends, or asks for a proof of the address. */
export interface Drain {
  /** `drain_…` */
  readonly id: string
  readonly siteId: string
  readonly kind: DrainKind
  /** What the service asks of the address to prove whose it is: Vercel's code, Fastly's service id; null for none. */
  readonly proof: string | null
  readonly createdAt: number
}

export const scopes = ['read', 'write'] as const
export type Scope = (typeof scopes)[number]

export interface ApiKey {
  /** `key_…` */
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly lastFour: string
  readonly scopes: readonly Scope[]
  readonly createdAt: number
  /** To the minute; null before the first use. */
  readonly lastUsedAt: number | null
  readonly revokedAt: number | null
}
