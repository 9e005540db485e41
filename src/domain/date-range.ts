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

/** Days as text, since every question and every point of a series spells some. Beyond this many it starts again empty. */
const rememberedMax = 50_000
const texts = new Map<number, string>()

/** `2026-02-28` as a day, or null for anything that is not a real calendar date from 1970-01-01 on. Counted, since Date.parse takes eight times as long (row 2 of docs/performance.md). */
export function parseDay(text: string): number | null {
  if (text.length !== 10 || text.charCodeAt(4) !== hyphen || text.charCodeAt(7) !== hyphen) return null
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
  const month = twoDigits(text, 5)
  const dayOfMonth = twoDigits(text, 8)
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  // What is no number is not within bounds.
  if (!(year >= 1970 && month >= 1 && month <= 12 && dayOfMonth >= 1)) return null
  if (!(dayOfMonth <= monthLengths[month - 1]! + (isLeap && month === 2 ? 1 : 0))) return null
  const before = year - 1
  const leapDays =
    Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400) - leapDaysBefore1970
  const ofYear = monthStarts[month - 1]! + (isLeap && month > 2 ? 1 : 0) + dayOfMonth - 1
  return (year - 1970) * 365 + leapDays + ofYear
}

const hyphen = 45
const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const monthStarts = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
const leapDaysBefore1970 = 477

/** NaN where they are no digits. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

export function formatDay(day: number): string {
  let text = texts.get(day)
  if (text === undefined) {
    text = new Date(day * dayMs).toISOString().slice(0, 10)
    if (texts.size >= rememberedMax) texts.clear()
    texts.set(day, text)
  }
  return text
}

/** The range asked for. Defaults: `start` seven days before today, `end` today. Throws INVALID_DATE_RANGE. */
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

/** The UTC month of a moment as a running number (year * 12 + month from 0): what quotas are counted by. */
export function monthOf(timeMs: number): number {
  const day = dayOf(timeMs)
  if (day !== latest.day) {
    const date = new Date(timeMs)
    latest = { day, month: date.getUTCFullYear() * 12 + date.getUTCMonth() }
  }
  return latest.month
}

/** Every event that is recorded asks for its month, and making a Date takes longer than counting it (row 7 of docs/performance.md). */
let latest = { day: Number.NaN, month: 0 }

/** The milliseconds of a month, without its end. */
export function monthRange(month: number): { startMs: number; endMs: number } {
  const start = (number: number): number => Date.UTC(Math.floor(number / 12), number % 12)
  return { startMs: start(month), endMs: start(month + 1) }
}

/** Whole seconds, at least 1, until the next UTC month begins. */
export function secondsToNextMonth(nowMs: number): number {
  const date = new Date(nowMs)
  const next = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  return Math.max(1, Math.ceil((next - nowMs) / 1000))
}
