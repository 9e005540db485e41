/** What one line of an access log says of a request, and what a log format must be able to do. */
import type { Visit } from '../../detection/detector.ts'
import { viewOf } from './byte-memory.ts'

/** A line where it lies in what was read of the log. */
export interface RawLine {
  /** What was read, one character a byte: searching and cutting need no decoding then. */
  readonly text: string
  /** The bytes that `text` was made from; `bytes[n]` is `text[n]`. */
  readonly bytes: Buffer
  /** The same bytes, to be read as words. */
  readonly view: DataView
  /** Where the line begins in both. */
  readonly from: number
  /** Where it ends, before its end of line. */
  readonly to: number
  /** Whether all of `bytes` are ASCII, so that `text` is what they say. */
  readonly isAscii: boolean
  /** The line as UTF-8. */
  readonly decoded: string
}

/** A line by itself. */
export function rawLine(decoded: string): RawLine {
  const bytes = Buffer.from(decoded)
  return {
    text: bytes.toString('latin1'),
    bytes,
    view: viewOf(bytes),
    from: 0,
    to: bytes.length,
    isAscii: bytes.length === decoded.length,
    decoded,
  }
}

/** One request, as text: escapes of the log are undone, `-` for "missing" is the empty string. */
export interface LogLine extends Visit {
  /** Milliseconds since 1970 UTC; NaN when the line's time is none. */
  readonly timeMs: number
  /** Client address; empty when the log does not tell. */
  readonly address: string
  /** Country that the log itself names, such as `us`; empty when it names none. */
  readonly country: string
}

/** Reads the lines of one log, in their order. */
export interface LineParser {
  /** What the line parsed last says: always the same object, since a fresh one a line would cost more than judging it. */
  readonly line: LogLine
  /** False when the line is not of this format, and `line` then holds rubbish. Never throws. */
  parse(raw: RawLine): boolean
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
})

/** Fills `into` from a line; false when the line is not of the format. */
export type ParseText = (line: string, into: FilledLine) => boolean

/** A format whose lines can each be read by themselves. */
export const lineByLine = (name: string, sample: string, parse: ParseText): LogFormat => ({
  name,
  sample,
  open: siteDomain => textParser(siteDomain, parse),
})

/** A parser that works on decoded lines. */
export function textParser(
  siteDomain: string,
  parse: ParseText,
  { directive, context }: Pick<LineParser, 'directive' | 'context'> = noDirectives,
): LineParser {
  const line = emptyLine(siteDomain)
  return { line, parse: raw => parse(raw.decoded, line), directive, context }
}

export const noDirectives: Pick<LineParser, 'directive' | 'context'> = { directive() {}, context: () => null }

/** The empty text for the `-` that logs write where a value is missing. */
export const present = (field: string): string => (field === '-' ? '' : field)

/** A status of three digits; null when the log has none, such as `-` or `000`. */
export function parseStatus(text: string): number | null {
  const status = Number(text)
  return status >= 100 && status <= 999 && Number.isInteger(status) ? status : null
}
