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
  /** The owner set up this instance, has no quota, and sees all accounts. */
  readonly isOwner: boolean
  readonly createdAt: number
}

/** The plan of an account. The owner's has no quota. */
export const planOf = (plans: PlanTable, { plan, isOwner }: Account): Plan =>
  isOwner ? { ...plans[plan], eventsPerMonth: null } : plans[plan]

export interface Site {
  /** `site_…` */
  readonly id: string
  /** Small unique integer that stored events refer to; never used again after removal. */
  readonly number: number
  readonly accountId: string
  readonly domain: string
  /** `ak_…`, the public tracking key. */
  readonly key: string
  readonly createdAt: number
}

/** A log drain that needs more than an API key, because it signs its deliveries or asks the address for a proof. */
export interface Drain {
  /** `drain_…` */
  readonly id: string
  readonly siteId: string
  readonly kind: DrainKind
  /** What the address answers to prove that it belongs to the customer: Vercel's code or Fastly's service id; null for none. */
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
