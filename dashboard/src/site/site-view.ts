/** What a site's page shows, read from the address and written back to it. */

import type { EventType, QueryOf } from '../api/answers.ts'
import type { Place } from '../router.ts'

export const presets = ['today', 'yesterday', '7d', '30d', '90d', 'month', '12m', 'all'] as const
export type Preset = (typeof presets)[number]

export const filterNames = ['bot', 'source', 'event', 'company', 'purpose', 'page', 'country'] as const
export type FilterName = (typeof filterNames)[number]

export const splits = ['total', 'name', 'company'] as const
export type Split = (typeof splits)[number]

export interface SiteView {
  readonly preset: Preset | null
  /** UTC days as YYYY-MM-DD, inclusive. */
  readonly start: string
  readonly end: string
  readonly granularity: 'day' | 'hour'
  readonly metric: EventType
  readonly split: Split
  readonly filters: readonly { readonly name: FilterName; readonly value: string }[]
}

export const dayMs = 86_400_000
const dayShape = /^\d{4}-\d{2}-\d{2}$/

const dayText = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10)

export function readView({ query }: Place, now: number): SiteView {
  const custom = { start: query.get('start') ?? '', end: query.get('end') ?? '' }
  const isCustom = [custom.start, custom.end].every(isDay) && custom.start <= custom.end
  const preset = presets.find(name => name === query.get('range')) ?? '30d'
  const metric =
    (['bot', 'referral', 'conversion'] as const).find(name => name === query.get('metric')) ?? 'bot'
  const filters = filterNames.flatMap(name => {
    const value = query.get(name)
    return value === null ? [] : [{ name, value }]
  })
  return {
    preset: isCustom ? null : preset,
    ...(isCustom ? custom : daysOf(preset, now)),
    granularity: query.get('by') === 'hour' ? 'hour' : 'day',
    metric,
    split: splits.find(name => name === query.get('split')) ?? (metric === 'bot' ? 'company' : 'name'),
    filters,
  }
}

export const isDay = (text: string): boolean =>
  dayShape.test(text) && !Number.isNaN(Date.parse(text)) && dayText(Date.parse(text)) === text

export function daysOf(preset: Preset, now: number): { start: string; end: string } {
  const today = dayText(now)
  const before = (days: number): string => dayText(now - days * dayMs)
  switch (preset) {
    case 'today':
      return { start: today, end: today }
    case 'yesterday':
      return { start: before(1), end: before(1) }
    case '7d':
      return { start: before(6), end: today }
    case '30d':
      return { start: before(29), end: today }
    case '90d':
      return { start: before(89), end: today }
    case 'month':
      return { start: `${today.slice(0, 8)}01`, end: today }
    case '12m':
      return { start: before(364), end: today }
    case 'all':
      return { start: '1970-01-01', end: '9999-12-31' }
  }
}

/** What the server is asked for the overview. */
export const overviewParameters = (view: SiteView): QueryOf<'getOverview'> => ({
  ...eventParameters(view),
  ...(view.preset === 'all' && { range: 'all' }),
  granularity: view.granularity,
})

/** What the server is asked for single events. */
export const eventParameters = ({ start, end, filters }: SiteView): QueryOf<'listEvents'> => ({
  start,
  end,
  // The address may hold anything; the server says so when it is nothing to filter by.
  ...(Object.fromEntries(filters.map(({ name, value }) => [name, value])) as QueryOf<'listEvents'>),
})

/** An event has one name: choosing a bot ends the choice of an assistant. */
const exclusive: readonly FilterName[] = ['bot', 'source', 'event']

/** What changes in the query when a row is clicked: its filter comes, or goes when it was there. */
export function toggled(view: SiteView, name: FilterName, value: string): Record<string, string | null> {
  const isSet = view.filters.some(filter => filter.name === name && filter.value === value)
  if (isSet) return { [name]: null }
  const others = exclusive.includes(name) ? Object.fromEntries(exclusive.map(other => [other, null])) : {}
  return { ...others, [name]: value }
}
