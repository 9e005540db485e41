/** Days and ranges of days, always in UTC. A day is an integer: days since 1970-01-01. */
import { AppError } from './errors.ts'

export const dayMs = 86_400_000
export const hourMs = 3_600_000

/** 9999-12-31, the last day that YYYY-MM-DD can write. */
export const lastDay = Math.floor(Date.UTC(9999, 11, 31) / dayMs)

/** Both days are inclusive. */
export interface DateRange {
  readonly start: number
  readonly end: number
}

export const dayOf = (timeMs: number): number => Math.floor(timeMs / dayMs)

/** The day of a text such as `2026-02-28`; null for anything but a real date from 1970-01-01 on. */
export function parseDay(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const day = Date.parse(text) / dayMs
  // Date.parse turns 2026-02-30 into a day of March.
  return day >= 0 && formatDay(day) === text ? day : null
}

export const formatDay = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

/** The requested range. Defaults: `start` is seven days before today, `end` is today. Throws INVALID_DATE_RANGE. */
export function parseDateRange(query: { start?: unknown; end?: unknown }, nowMs: number): DateRange {
  const today = dayOf(nowMs)
  const start = query.start === undefined ? today - 7 : requireDay('start', query.start)
  const end = query.end === undefined ? today : requireDay('end', query.end)
  if (start > end) {
    throw new AppError(
      'INVALID_DATE_RANGE',
      `start (${formatDay(start)}) is after end (${formatDay(end)}); both days are inclusive and start must not be later.`,
    )
  }
  return { start, end }
}

function requireDay(parameter: string, value: unknown): number {
  const day = typeof value === 'string' ? parseDay(value) : null
  if (day !== null) return day
  const got = Array.isArray(value) ? 'several values' : JSON.stringify(value).slice(0, 100)
  throw new AppError(
    'INVALID_DATE_RANGE',
    `${parameter} is ${got}; it must be one real date from 1970-01-01 to 9999-12-31 as YYYY-MM-DD.`,
  )
}

/** The UTC month of a moment as a running number: year * 12 + month from 0. Quotas are counted by it. */
export function monthOf(timeMs: number): number {
  const date = new Date(timeMs)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/** Whole seconds, at least 1, until the next UTC month begins. */
export function secondsToNextMonth(nowMs: number): number {
  const date = new Date(nowMs)
  const next = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  return Math.max(1, Math.ceil((next - nowMs) / 1000))
}
