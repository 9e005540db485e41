/** Reads times in access logs as milliseconds since 1970 UTC. Invalid times are NaN. */

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Length of `10/Oct/2000:13:55:36 -0700`. */
export const clfTimeLength = 26
const dateLength = 11

/** Reads the time that stands at `at` in a text. */
export type ClfTimeReader = (text: string, at: number) => number

/**
 * A reader of the time of the common log format, `10/Oct/2000:13:55:36 -0700`. Day and zone seldom change from line to line, so
 * what they come to is kept.
 */
export function createClfTimeReader(): ClfTimeReader {
  let date = ''
  let zone = ''
  let midnightMs = Number.NaN

  return (text, at) => {
    if (at + clfTimeLength > text.length) return Number.NaN
    if (date === '' || !text.startsWith(date, at) || !text.startsWith(zone, at + dateLength + 9)) {
      date = text.slice(at, at + dateLength)
      zone = text.slice(at + dateLength + 9, at + clfTimeLength)
      midnightMs = clfMidnight(date, zone)
    }
    const isShape =
      text.charCodeAt(at + 11) === colon &&
      text.charCodeAt(at + 14) === colon &&
      text.charCodeAt(at + 17) === colon
    return isShape
      ? midnightMs + timeOfDay(twoDigits(text, at + 12), twoDigits(text, at + 15), twoDigits(text, at + 18))
      : Number.NaN
  }
}

const colon = 58
const clfDate = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4})$/
const clfZone = /^ [+-]\d{4}$/
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The beginning of the day in its zone; NaN when either is none. */
function clfMidnight(date: string, zone: string): number {
  const [, day, month = '', year] = clfDate.exec(date) ?? []
  if (day === undefined || !clfZone.test(zone)) return Number.NaN
  return midnight(Number(year), months.indexOf(month), Number(day)) - zoneMs(zone.slice(1))
}

const iso =
  /^(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?[ ]?(Z|[+-]\d\d:?\d\d|UTC)?$/i

/** RFC 3339, also with a space for the T, slashes for the hyphens or no zone, which then is UTC. */
export function parseIsoTime(text: string): number {
  const parts = iso.exec(text)
  if (parts === null) return Number.NaN
  const [, year, month, day, hours, minutes, seconds, fraction = '', zone = 'Z'] = parts
  return (
    midnight(Number(year), Number(month) - 1, Number(day)) +
    timeOfDay(Number(hours), Number(minutes), Number(seconds)) +
    Number(fraction.slice(0, 3).padEnd(3, '0')) -
    (/^[+-]/.test(zone) ? zoneMs(zone) : 0)
  )
}

const number = /^\d+(?:\.\d+)?$/

/**
 * A moment in a JSON log: seconds, milliseconds, microseconds or nanoseconds since 1970 (told apart by size: each is a
 * thousand times the other, so the years 1973 to 5138 in one are before 1974 in the next), RFC 3339, or the common log format.
 */
export function parseJsonTime(value: unknown): number {
  if (typeof value === 'number') return epochMs(value)
  if (typeof value !== 'string') return Number.NaN
  if (number.test(value)) return epochMs(Number(value))
  const isoMs = parseIsoTime(value)
  return Number.isNaN(isoMs) && value.length === clfTimeLength ? createClfTimeReader()(value, 0) : isoMs
}

function epochMs(value: number): number {
  if (value < 1e11) return Math.round(value * 1000)
  if (value < 1e14) return Math.round(value)
  if (value < 1e17) return Math.floor(value / 1e3)
  return value < 1e20 ? Math.floor(value / 1e6) : Number.NaN
}

/** NaN when the month has no such day. */
function midnight(year: number, month: number, day: number): number {
  const timeMs = Date.UTC(year, month, day)
  const date = new Date(timeMs)
  return date.getUTCDate() === day && date.getUTCMonth() === month ? timeMs : Number.NaN
}

/** The 60th second is a leap second. */
function timeOfDay(hours: number, minutes: number, seconds: number): number {
  const real = hours >= 0 && hours <= 23 && minutes >= 0 && minutes <= 59 && seconds >= 0 && seconds <= 60
  return real ? hours * hourMs + minutes * minuteMs + seconds * 1000 : Number.NaN
}

/** `+0530` or `+05:30`: how much later than UTC its clocks are. */
function zoneMs(zone: string): number {
  const ahead = Number(zone.slice(1, 3)) * hourMs + Number(zone.slice(-2)) * minuteMs
  return zone.startsWith('-') ? -ahead : ahead
}

/** -1 unless both are digits. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1
}
