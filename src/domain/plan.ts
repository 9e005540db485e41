/** The plans and what accounts with them may do. Operators change the numbers by settings (see server/config.ts). */

export const planNames = ['free', 'pro'] as const
export type PlanName = (typeof planNames)[number]

export interface Plan {
  readonly requestsPerMinute: number
  /** Hourly granularity of the time series. */
  readonly hourlySeries: boolean
  /** Events recorded in a UTC month by all sites of the account; null is unlimited. */
  readonly eventsPerMonth: number | null
}

export type PlanTable = Readonly<Record<PlanName, Plan>>

export const defaultPlans: PlanTable = {
  free: { requestsPerMinute: 60, hourlySeries: false, eventsPerMonth: 10_000 },
  pro: { requestsPerMinute: 600, hourlySeries: true, eventsPerMonth: null },
}
