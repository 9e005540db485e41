/** Reads the times of sent events and hits. The error says what is wrong with a time. */
import { dayMs, parseDay } from '../domain/date-range.ts'
import { AppError } from '../domain/errors.ts'
import { shown } from './describe-problem.ts'

/** Milliseconds of an ISO 8601 time with a zone, from 1970 to 24 h after now. Throws INVALID_EVENT. */
export type ReadTime = (index: number, field: string, text: string) => number

/** For the times of one batch. They are mostly of one day, which is read once: that saves most of the time. */
export function createTimeReader(now: number): ReadTime {
  let lastDay = { text: '1970-01-01', startMs: 0 }

  /** Null for spellings other than that of programs. */
  function plainTime(text: string): number | null {
    if (!plainShape.test(text)) return null
    if (!text.startsWith(lastDay.text)) {
      const day = parseDay(text.slice(0, 10))
      if (day === null) return null
      lastDay = { text: text.slice(0, 10), startMs: day * dayMs }
    }
    return lastDay.startMs + timeOfDay(text)
  }

  return (index, field, text) => {
    const time = plainTime(text) ?? anyTime(index, field, text)
    if (time < 0) throw invalidEvent(index, field, 'it must not lie before 1970')
    if (time > now + dayMs)
      throw invalidEvent(index, field, `it must not lie more than 24 h ahead, got ${text}`)
    return time
  }
}

/** As programs write it: `2026-01-31T09:30:00Z`, also with milliseconds. */
const plainShape = /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{3})?Z$/

/** Of a plain time. */
function timeOfDay(text: string): number {
  const digit = (at: number): number => text.charCodeAt(at) - 48
  const seconds =
    (digit(11) * 10 + digit(12)) * 3_600 + (digit(14) * 10 + digit(15)) * 60 + (digit(17) * 10 + digit(18))
  const ms = text.length === 24 ? digit(20) * 100 + digit(21) * 10 + digit(22) : 0
  return seconds * 1000 + ms
}

const isoTime =
  /^(\d{4}-\d{2}-\d{2})[Tt ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)$/

function anyTime(index: number, field: string, text: string): number {
  const match = isoTime.exec(text)
  if (!match || parseDay(match[1]!) === null) {
    throw invalidEvent(
      index,
      field,
      `it must be an ISO 8601 time with a zone, such as 2026-01-31T09:30:00Z, got ${shown(text)}`,
    )
  }
  const zone = match[5]!
    .toUpperCase()
    .replace(/^(.\d\d):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`)
  return Date.parse(text.slice(0, text.length - match[5]!.length).replace(/[t ]/, 'T') + zone)
}

export const invalidEvent = (index: number, field: string, problem: string): AppError =>
  new AppError('INVALID_EVENT', `Event ${index}, ${field}: ${problem}. Nothing was recorded.`)
