/** Numbers, days and places in the words of a language, always in UTC. */
import { text } from './text/text.ts'

const { locale } = text

const exact = new Intl.NumberFormat(locale)
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })
const money = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 })
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
const finePercent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
const utc = { timeZone: 'UTC' } as const
const shortDay = new Intl.DateTimeFormat(locale, { ...utc, day: 'numeric', month: 'short' })
const fullDay = new Intl.DateTimeFormat(locale, {
  ...utc,
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
})
const plainDay = new Intl.DateTimeFormat(locale, { ...utc, day: 'numeric', month: 'short', year: 'numeric' })
const month = new Intl.DateTimeFormat(locale, { ...utc, month: 'long', year: 'numeric' })
const moment = new Intl.DateTimeFormat(locale, {
  ...utc,
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
const fullMoment = new Intl.DateTimeFormat(locale, {
  ...utc,
  dateStyle: 'medium',
  timeStyle: 'medium',
  hourCycle: 'h23',
})
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
const regions = new Intl.DisplayNames(locale, { type: 'region' })

/** From here on a number is shown compact, with the exact one on hover. */
const compactFrom = 10_000

export const formatExact = (value: number): string => exact.format(value)
export const isCompact = (value: number): boolean => Math.abs(value) >= compactFrom
export const formatShort = (value: number): string =>
  isCompact(value) ? compact.format(value) : exact.format(value)
export const formatAxis = (value: number): string => compact.format(value)
export const formatMoney = (value: number): string =>
  isCompact(value) ? compact.format(value) : money.format(value)
export const formatExactMoney = (value: number): string => money.format(value)
export const formatShare = (share: number): string =>
  share > 0 && share < 0.1 ? finePercent.format(share) : percent.format(share)

/** `2026-11-20` or `2026-11-20 14:00`, as buckets and days are named. */
export const timeOfBucket = (bucket: string): number =>
  Date.parse(`${bucket.replace(' ', 'T').padEnd(16, 'T00:00').slice(0, 16)}Z`)

export const formatShortDay = (day: string): string => shortDay.format(timeOfBucket(day))
export const formatDay = (day: string): string => plainDay.format(timeOfBucket(day))
export const formatBucket = (bucket: string): string =>
  bucket.length > 10
    ? `${fullDay.format(timeOfBucket(bucket))}, ${bucket.slice(11)}`
    : fullDay.format(timeOfBucket(bucket))
export const formatRange = (start: string, end: string): string =>
  start === end ? formatDay(start) : plainDay.formatRange(timeOfBucket(start), timeOfBucket(end))
export const formatMonth = (yearMonth: string): string =>
  month.format(Date.parse(`${yearMonth}-01T00:00:00Z`))
export const formatMoment = (timeMs: number): string => moment.format(timeMs)
export const formatFullMoment = (timeMs: number): string => `${fullMoment.format(timeMs)} ${text.common.utc}`
export const formatDate = (timeMs: number): string => plainDay.format(timeMs)

export function formatAgo(timeMs: number, now: number): string {
  const seconds = Math.round((timeMs - now) / 1000)
  for (const [unit, size] of [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
  ] as const) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit)
  }
  return relative.format(seconds, 'second')
}

/** `5 hours`, rounded down. */
export function formatDuration(durationMs: number): string {
  const [unit, size] =
    durationMs < 3_600_000
      ? (['minute', 60_000] as const)
      : durationMs < 2 * 86_400_000
        ? (['hour', 3_600_000] as const)
        : (['day', 86_400_000] as const)
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.floor(durationMs / size),
  )
}

/** `85 ms`, and seconds from one second on: `1.2 sec`. */
export function formatMilliseconds(durationMs: number): string {
  const isLong = durationMs >= 1_000
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: isLong ? 'second' : 'millisecond',
    unitDisplay: 'short',
    maximumFractionDigits: 1,
  }).format(isLong ? durationMs / 1_000 : durationMs)
}

export function formatCountry(code: string): string {
  if (code === 'ZZ') return text.common.unknown
  if (!/^[A-Z]{2}$/.test(code)) return text.chart.rest
  return regions.of(code) ?? code
}

/** `+12%`; null when there is nothing to compare with. */
export function formatChange(now: number, earlier: number): string | null {
  if (earlier === 0) return null
  const change = (now - earlier) / earlier
  const rounded = Math.round(change * 100) / 100
  if (rounded === 0) return '±0%'
  return `${rounded > 0 ? '+' : '−'}${percent.format(Math.abs(rounded))}`
}

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log10(bytes) / 3))
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: byteUnits[power]!,
    unitDisplay: 'short',
    maximumFractionDigits: power > 1 ? 1 : 0,
  }).format(bytes / 1000 ** power)
}
