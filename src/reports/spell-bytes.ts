/** Spells numbers and times into bytes, as JSON.stringify and toISOString do, a few at a time (row 4 of docs/performance.md). */

const zero = 48
const point = 46
const minus = 45

/** `00` to `99`, first digit first. */
const pairs = Uint16Array.from({ length: 100 }, (_, i) => (zero + Math.floor(i / 10)) * 256 + zero + (i % 10))

const hundredMillion = 100_000_000

/** An integer from 0 to below 2^53, in 16 bytes at the most; gives back where it ends. */
export function writeInteger(target: DataView, from: number, value: number): number {
  if (value >= hundredMillion) {
    const high = Math.floor(value / hundredMillion)
    return writeEight(target, writeInteger(target, from, high), value - high * hundredMillion)
  }
  const end = from + digitsOf(value)
  let rest = value | 0
  let at = end
  while (rest >= 100) {
    const hundredth = (rest / 100) | 0
    at -= 2
    target.setUint16(at, pairs[rest - hundredth * 100]!)
    rest = hundredth
  }
  if (rest >= 10) target.setUint16(at - 2, pairs[rest]!)
  else target.setUint8(at - 1, zero + rest)
  return end
}

/** Below 10^8. */
function digitsOf(value: number): number {
  if (value < 10_000) return value < 100 ? (value < 10 ? 1 : 2) : value < 1_000 ? 3 : 4
  return value < 1_000_000 ? (value < 100_000 ? 5 : 6) : value < 10_000_000 ? 7 : 8
}

/** Eight digits, zeros first. */
function writeEight(target: DataView, from: number, value: number): number {
  let rest = value | 0
  for (let at = from + 6; at >= from; at -= 2) {
    const hundredth = (rest / 100) | 0
    target.setUint16(at, pairs[rest - hundredth * 100]!)
    rest = hundredth
  }
  return from + 8
}

/** Any number as JSON.stringify spells it, in 25 bytes at the most; gives back where it ends. */
export function writeNumber(target: DataView, from: number, value: number): number {
  // Most money has two places: money.ts says why they are what is spelled.
  const hundredths = Math.round(value * 100)
  if (hundredths / 100 !== value || !(Math.abs(hundredths) < 2 ** 49))
    return writeAscii(target, from, JSON.stringify(value))
  let at = from
  if (value < 0) target.setUint8(at++, minus)
  const all = Math.abs(hundredths)
  const whole = Math.floor(all / 100)
  const places = all - whole * 100
  at = writeInteger(target, at, whole)
  if (places === 0) return at
  target.setUint8(at, point)
  if (places % 10 === 0) {
    target.setUint8(at + 1, zero + places / 10)
    return at + 2
  }
  target.setUint16(at + 1, pairs[places]!)
  return at + 3
}

export function writeAscii(target: DataView, from: number, text: string): number {
  for (let i = 0; i < text.length; i++) target.setUint8(from + i, text.charCodeAt(i))
  return from + text.length
}

/** Fills the digits of a time of day in milliseconds into `00:00:00.000`. */
export function fillTime(target: DataView, from: number, timeOfDay: number): void {
  const seconds = (timeOfDay / 1_000) | 0
  const milliseconds = timeOfDay - seconds * 1_000
  const minutes = (seconds / 60) | 0
  const hours = (minutes / 60) | 0
  const tenths = (milliseconds / 10) | 0
  target.setUint16(from, pairs[hours]!)
  target.setUint16(from + 3, pairs[minutes - hours * 60]!)
  target.setUint16(from + 6, pairs[seconds - minutes * 60]!)
  target.setUint16(from + 9, pairs[tenths]!)
  target.setUint8(from + 11, zero + milliseconds - tenths * 10)
}
