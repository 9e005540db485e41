/** Looks up the purposes of bots and the companies of assistants in the catalogue, and filters names by them. */
import { catalogue } from '../detection/catalogue/catalogue.ts'
import type { BotPurpose } from '../detection/detector.ts'
import type { EventType } from '../domain/event.ts'
import type { CountsByName, NameCount } from '../storage/event-store.ts'

export interface NameTraits {
  /** Operator of the bot or assistant; empty for conversions and when it is not known. */
  readonly company: string
  /** Null unless the name is a bot's. `other` for bots that the catalogue does not have. */
  readonly purpose: BotPurpose | null
}

export type TraitsOf = (type: EventType, name: string, company: string) => NameTraits

export function createTraits(): TraitsOf {
  const purposes = new Map(catalogue.bots.map(({ name, purpose }) => [name, purpose]))
  const companies = new Map(catalogue.sources.map(({ source, company }) => [source, company]))
  return (type, name, company) => ({
    company: type === 'referral' ? (companies.get(name) ?? '') : company,
    purpose: type === 'bot' ? (purposes.get(name) ?? 'other') : null,
  })
}

/** Conditions on an event. All conditions that are not null must hold. */
export interface ReportFilter {
  readonly type: EventType | null
  readonly bot: string | null
  readonly source: string | null
  readonly event: string | null
  readonly company: string | null
  readonly purpose: string | null
  readonly page: string | null
  readonly country: string | null
}

export const isUnfiltered = (filter: ReportFilter): boolean =>
  Object.values(filter).every(value => value === null)

const typeOfNameFilter = { bot: 'bot', source: 'referral', event: 'conversion' } as const

/** Whether a name passes the conditions on names. */
export function passesByName(
  filter: ReportFilter,
  traitsOf: TraitsOf,
  { type, name, company }: { type: EventType; name: string; company: string },
): boolean {
  if (filter.type !== null && filter.type !== type) return false
  for (const key of ['bot', 'source', 'event'] as const) {
    if (filter[key] !== null && (typeOfNameFilter[key] !== type || filter[key] !== name)) return false
  }
  if (filter.company === null && filter.purpose === null) return true
  const traits = traitsOf(type, name, company)
  return (
    (filter.company === null || traits.company === filter.company) &&
    (filter.purpose === null || traits.purpose === filter.purpose)
  )
}

/** Whether a filter has conditions on names, not only on pages and countries. */
export function filtersNames({ page: _, country: __, ...onNames }: ReportFilter): boolean {
  return Object.values(onNames).some(value => value !== null)
}

/** The names that pass, with their counts. */
export function passingNames(
  filter: ReportFilter,
  traitsOf: TraitsOf,
  counts: CountsByName,
): (NameCount & { readonly type: EventType })[] {
  return (['bot', 'referral', 'conversion'] as const).flatMap(type =>
    counts[type].map(count => ({ ...count, type })).filter(name => passesByName(filter, traitsOf, name)),
  )
}
