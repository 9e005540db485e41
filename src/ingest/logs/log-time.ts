/** Moments as access logs write them, in milliseconds since 1970 UTC; NaN for anything that is no real moment. */

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Length of `10/Oct/2000:13:55:36 -0700`. */
export const clfTimeLength = 26
const clfDateLength = 11
const clfZoneAt = 21
/** What no date begins with. */
const unread = 'unread'
const clfShape = /^\d\d\/[A-Z][a-z]{2}\/\d{4}$/
const clfZoneShape = /^[+-]\d{4}$/

/**
 * A reader of the time of the common log format, `10/Oct/2000:13:55:36 -0700`, which stands at `at` in `text`. Day and
 * zone seldom change from line to line, so what they come to is kept and compared instead of computed.
 */
export function createClfTimeReader(): (text: string, at: number) => number {
  let lastDate = unread
  let lastZone = unread
  let midnightMs = Number.NaN

  return (text, at) => {
    if (!text.startsWith(lastDate, at) || !text.startsWith(lastZone, at + clfZoneAt)) {
      lastDate = text.slice(at, at + clfDateLength)
      lastZone = text.slice(at + clfZoneAt, at + clfTimeLength)
      midnightMs = clfMidnight(lastDate, lastZone)
      // Broken ones may be shorter, and a short text is at the beginning of many.
      if (Number.isNaN(midnightMs)) lastDate = unread
    }
    const time = at + clfDateLength
    if (!isColon(text, time) || !isColon(text, time + 3) || !isColon(text, time + 6)) return Number.NaN
    if (text.charCodeAt(time + 9) !== 32) return Number.NaN
    return (
      midnightMs + timeOfDay(twoDigits(text, time + 1), twoDigits(text, time + 4), twoDigits(text, time + 7))
    )
  }
}

function clfMidnight(date: string, zone: string): number {
  if (!clfShape.test(date) || !clfZoneShape.test(zone)) return Number.NaN
  const month = monthNames.indexOf(date.slice(3, 6))
  return midnight(Number(date.slice(7)), month, Number(date.slice(0, 2))) - zoneMs(zone)
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
const readClfTime = createClfTimeReader()

/**
 * A moment in a JSON log: seconds, milliseconds, microseconds or nanoseconds since 1970 (told apart by size: each is a
 * thousand times the other, so the years 1973 to 5138 in one are before 1974 in the next), RFC 3339, or the common log format.
 */
export function parseJsonTime(value: unknown): number {
  if (typeof value === 'number') return epochMs(value)
  if (typeof value !== 'string') return Number.NaN
  if (number.test(value)) return epochMs(Number(value))
  const isoMs = parseIsoTime(value)
  return Number.isNaN(isoMs) && value.length === clfTimeLength ? readClfTime(value, 0) : isoMs
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
  const real = hours <= 23 && minutes <= 59 && seconds <= 60
  return real ? hours * hourMs + minutes * minuteMs + seconds * 1000 : Number.NaN
}

/** `+0530` or `+05:30`: how much later than UTC its clocks are. */
function zoneMs(zone: string): number {
  const ahead = Number(zone.slice(1, 3)) * hourMs + Number(zone.slice(-2)) * minuteMs
  return zone.startsWith('-') ? -ahead : ahead
}

const isColon = (text: string, at: number): boolean => text.charCodeAt(at) === 58

/** NaN unless both are digits. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}
