/** Moments as access logs write them, in milliseconds since 1970 UTC; NaN for anything that is no real moment. */
import { viewOf } from './byte-memory.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Length of `10/Oct/2000:13:55:36 -0700`. */
export const clfTimeLength = 26

/**
 * A reader of the time of the common log format, `10/Oct/2000:13:55:36 -0700`, which stands at `at` in `bytes`. Day and
 * zone seldom change from line to line, so what they come to is kept.
 */
export function createClfTimeReader(): (bytes: DataView, at: number) => number {
  let midnightMs = Number.NaN
  // `10/O`, `ct/2`, `000:`, ` -07` and `0700` of the line before.
  let date1 = 0
  let date2 = 0
  let date3 = 0
  let zone1 = 0
  let zone2 = 0

  return (bytes, at) => {
    if (at + clfTimeLength > bytes.byteLength) return Number.NaN
    if (
      bytes.getInt32(at) !== date1 ||
      bytes.getInt32(at + 4) !== date2 ||
      bytes.getInt32(at + 8) !== date3 ||
      bytes.getInt32(at + 20) !== zone1 ||
      bytes.getInt32(at + 22) !== zone2
    ) {
      date1 = bytes.getInt32(at)
      date2 = bytes.getInt32(at + 4)
      date3 = bytes.getInt32(at + 8)
      zone1 = bytes.getInt32(at + 20)
      zone2 = bytes.getInt32(at + 22)
      midnightMs = clfMidnight(bytes, at)
    }
    if (bytes.getUint8(at + 14) !== colon || bytes.getUint8(at + 17) !== colon) return Number.NaN
    return (
      midnightMs + timeOfDay(twoDigits(bytes, at + 12), twoDigits(bytes, at + 15), twoDigits(bytes, at + 18))
    )
  }
}

const slash = 47
const colon = 58
const space = 32
const plus = 43
const minus = 45

/** The beginning of the day in its zone; NaN when either is none. */
function clfMidnight(bytes: DataView, at: number): number {
  const day = twoDigits(bytes, at)
  const month = monthNumbers.get((bytes.getUint16(at + 3) << 8) | bytes.getUint8(at + 5)) ?? -1
  const century = twoDigits(bytes, at + 7)
  const year = twoDigits(bytes, at + 9)
  const zoneHours = twoDigits(bytes, at + 22)
  const zoneMinutes = twoDigits(bytes, at + 24)
  const sign = bytes.getUint8(at + 21)
  const isShape =
    bytes.getUint8(at + 2) === slash &&
    bytes.getUint8(at + 6) === slash &&
    bytes.getUint8(at + 11) === colon &&
    bytes.getUint8(at + 20) === space &&
    (sign === plus || sign === minus)
  if (!isShape || Math.min(day, month, century, year, zoneHours, zoneMinutes) < 0) return Number.NaN
  const zone = (zoneHours * 60 + zoneMinutes) * (sign === minus ? -1 : 1)
  return midnight(century * 100 + year, month, day) - zone * minuteMs
}

/** Months by the three bytes of their English names. */
const monthNumbers = new Map(
  ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'].map((name, number) => [
    Buffer.from(name).readUIntBE(0, 3),
    number,
  ]),
)

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
  return Number.isNaN(isoMs) && value.length === clfTimeLength
    ? readClfTime(viewOf(Buffer.from(value)), 0)
    : isoMs
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
function twoDigits(bytes: DataView, at: number): number {
  const tens = bytes.getUint8(at) - 48
  const ones = bytes.getUint8(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1
}
