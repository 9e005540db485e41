/** Defines a request as its source reports it, before classification, and parses the sizes and durations that sources write. */

/** Texts are empty where the source does not tell. */
export interface RequestRecord {
  readonly method: string
  /** Absolute URL or path, with its query. */
  readonly url: string
  readonly status: number | null
  readonly userAgent: string
  readonly referrer: string
  /** Address of the client. */
  readonly address: string
  /** Country that the source names, such as `us`. */
  readonly country: string
  /** Milliseconds since 1970 UTC. */
  readonly timeMs: number
  /** Bytes of the response; an integer up to bytesMax, null where the source does not tell. */
  readonly bytes: number | null
  /** How long the answer took; whole milliseconds up to durationMsMax, null where the source does not tell. */
  readonly durationMs: number | null
}

/** More is no response of a web site, but a mistake of its sender. */
export const bytesMax = 1e12
/** Eleven days. */
export const durationMsMax = 1e9

/** A size as a log writes it, as number or text; null for `-` and whatever else is none. */
export const readBytes = (value: unknown): number | null => measure(value, 1, bytesMax)

/** A duration as a log writes it, as number or text. */
export const readMilliseconds = (value: unknown): number | null => measure(value, 1, durationMsMax)
export const readSeconds = (value: unknown): number | null => measure(value, 1000, durationMsMax)

const beginsAsNumber = /^[\d.]/

function measure(value: unknown, factor: number, max: number): number | null {
  const isTold = typeof value === 'number' || (typeof value === 'string' && beginsAsNumber.test(value))
  if (!isTold) return null
  const whole = Math.round(Number(value) * factor)
  return whole >= 0 && whole <= max ? whole : null
}
