/** What a log format must be able to do, and what formats have in common. */
import type { RequestRecord } from '../request-record.ts'

/** One request, as text: escapes of the log are undone, `-` for "missing" is the empty string. */
export type LogLine = RequestRecord

/** Reads the lines of one log, in their order. */
export interface LineParser {
  /** What the line parsed last says: always the same object, since most lines become no event. */
  readonly line: LogLine
  /** False when the line is not of this format, and `line` then holds rubbish. Never throws. */
  parse(text: string): boolean
  /** A line that begins with `#`. */
  directive(line: string): void
  /** What `open` needs to go on behind the lines read so far; null when nothing. */
  context(): string | null
}

export interface LogFormat {
  readonly name: string
  /** A line in this format, as the vendor documents it; with the `#` lines that must stand before it. */
  readonly sample: string
  open(siteDomain: string, context: string | null): LineParser
}

/** A LogLine to be filled. */
export type FilledLine = { -readonly [Field in keyof LogLine]: LogLine[Field] }

export const emptyLine = (siteDomain: string): FilledLine => ({
  method: '',
  url: '',
  status: null,
  userAgent: '',
  referrer: '',
  siteDomain,
  timeMs: Number.NaN,
  address: '',
  country: '',
  bytes: null,
  durationMs: null,
})

/** Fills `into` from a line; false when the line is not of the format. Every field but siteDomain must be set. */
export type ParseText = (line: string, into: FilledLine) => boolean

/** A format whose lines can each be read by themselves. */
export const lineByLine = (name: string, sample: string, parse: ParseText): LogFormat => ({
  name,
  sample,
  open: siteDomain => textParser(siteDomain, parse),
})

export function textParser(
  siteDomain: string,
  parse: ParseText,
  { directive, context }: Pick<LineParser, 'directive' | 'context'> = noDirectives,
): LineParser {
  const line = emptyLine(siteDomain)
  return { line, parse: text => parse(text, line), directive, context }
}

export const noDirectives: Pick<LineParser, 'directive' | 'context'> = { directive() {}, context: () => null }

/** The empty text for the `-` that logs write where a value is missing. */
export const present = (field: string): string => (field === '-' ? '' : field)

/** A status of three digits; null when the log has none, such as `-` or `000`. */
export function parseStatus(text: string): number | null {
  const status = Number(text)
  return status >= 100 && status <= 999 && Number.isInteger(status) ? status : null
}
