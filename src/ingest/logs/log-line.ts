/** What one line of an access log says of a request, and what a log format must be able to do. */
import type { Visit } from '../../detection/detector.ts'

/**
 * One request, as text: escapes of the log are undone, `-` for "missing" is the empty string. A parser fills the same
 * object line after line, since a fresh one for each of ten million lines would cost more than judging them.
 */
export interface LogLine extends Visit {
  method: string
  url: string
  status: number | null
  userAgent: string
  referrer: string
  /** Milliseconds since 1970 UTC; NaN when the line's time is none. */
  timeMs: number
  /** Client address; empty when the log does not tell. */
  address: string
  /** Country that the log itself names, such as `us`; empty when it names none. */
  country: string
}

export const emptyLine = (siteDomain: string): LogLine => ({
  method: '',
  url: '',
  status: null,
  userAgent: '',
  referrer: '',
  siteDomain,
  timeMs: Number.NaN,
  address: '',
  country: '',
})

/** Reads the lines of one log, in their order. */
export interface LineParser {
  /** Fills `into`; false when the line is not of this format, and `into` then holds rubbish. Never throws. */
  parse(line: string, into: LogLine): boolean
  /** A line that begins with `#`. */
  directive(line: string): void
  /** What `open` needs to go on behind the lines read so far; null when nothing. */
  context(): string | null
}

export interface LogFormat {
  readonly name: string
  /** A line in this format, as the vendor documents it; with the `#` lines that must stand before it. */
  readonly sample: string
  open(context: string | null): LineParser
}

/** A format whose lines can each be read by themselves. */
export function lineByLine(name: string, sample: string, parse: LineParser['parse']): LogFormat {
  const parser: LineParser = { parse, directive() {}, context: () => null }
  return { name, sample, open: () => parser }
}

/** The empty text for the `-` that logs write where a value is missing. */
export const present = (field: string): string => (field === '-' ? '' : field)

/** A status of three digits; null when the log has none, such as `-` or `000`. */
export function parseStatus(text: string): number | null {
  const status = Number(text)
  return status >= 100 && status <= 999 && Number.isInteger(status) ? status : null
}
