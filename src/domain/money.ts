/** Exact decimal sums. A value is a whole part and billionths, both integers, so that ten times 0.1 is exactly 1. */

export interface DecimalSum {
  readonly whole: number
  readonly billionths: number
}

export const zeroSum: DecimalSum = { whole: 0, billionths: 0 }

const billion = 1_000_000_000

/** Splits a number at the decimal point that its shortest spelling shows; digits past the ninth are rounded. */
export function toDecimal(value: number): DecimalSum {
  if (Number.isInteger(value)) return { whole: value, billionths: 0 }
  // Most money has two decimal places. Below 2^49 each decimal with two places is a different number, so this one is right.
  const hundredths = Math.round(value * 100)
  if (hundredths / 100 === value && Math.abs(hundredths) < 2 ** 49) {
    const whole = Math.floor(hundredths / 100)
    return { whole, billionths: (hundredths - whole * 100) * 10_000_000 }
  }
  const text = String(Math.abs(value))
  const sign = value < 0 ? -1 : 1
  const point = text.indexOf('.')
  if (point === -1 || text.includes('e')) return normalise(0, Math.round(value * billion))
  const digits = text.slice(point + 1)
  const scaled =
    digits.length > 9
      ? Math.round(Number(`${digits.slice(0, 9)}.${digits.slice(9)}`))
      : Number(digits.padEnd(9, '0'))
  return normalise(sign * Number(text.slice(0, point)), sign * scaled)
}

export const addDecimals = (a: DecimalSum, b: DecimalSum): DecimalSum =>
  normalise(a.whole + b.whole, a.billionths + b.billionths)

/** The number whose shortest spelling is the exact sum. */
export function fromDecimal(sum: DecimalSum): number {
  let { whole, billionths } = normalise(sum.whole, sum.billionths)
  if (billionths === 0) return whole
  // An exact integer divided by a power of ten gives the number nearest to the decimal. Most money has two decimal places.
  const hundredths = whole * 100 + billionths / 10_000_000
  if (Number.isSafeInteger(hundredths)) return hundredths / 100
  const all = whole * billion + billionths
  if (Number.isSafeInteger(all)) return all / billion
  // Give both parts one sign, so that they can be written as one decimal.
  if (whole < 0 && billionths > 0) {
    whole += 1
    billionths -= billion
  }
  const negative = whole < 0 || billionths < 0
  const text = `${Math.abs(whole)}.${String(Math.abs(billionths)).padStart(9, '0')}`
  return negative ? -Number(text) : Number(text)
}

/** Carries so that billionths stay in 0 to 999,999,999; the whole part takes the sign. */
function normalise(whole: number, billionths: number): DecimalSum {
  const carry = Math.floor(billionths / billion)
  // `+ 0` turns -0 into 0.
  return { whole: whole + carry + 0, billionths: billionths - carry * billion }
}
