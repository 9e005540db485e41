/** What one line of an access log says of a request, and what a log format must be able to do. */
import type { Visit } from '../../detection/detector.ts'
import { viewOf } from './byte-memory.ts'
import type { KnownVerdicts } from './known-verdicts.ts'

/** A line where it lies in what was read of the log. */
export interface RawLine {
  readonly bytes: Buffer
  /** The same bytes, to be read as words. */
  readonly view: DataView
  /** Where the line begins in both. */
  readonly from: number
  /** Where it ends, before its end of line. */
  readonly to: number
  /** The line as UTF-8. */
  readonly decoded: string
}

/** A line by itself. */
export function rawLine(decoded: string): RawLine {
  const bytes = Buffer.from(decoded)
  return { bytes, view: viewOf(bytes), from: 0, to: bytes.length, decoded }
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
  /**
   * Opens a reader of the lines in which nothing is unusual, so much faster for a long log that it is worth a second way and some
   * memory; null where there is none.
   */
  readonly plain: (() => PlainLineReader) | null
  /** What `open` needs to go on behind the lines read so far; null when nothing. */
  context(): string | null
}

/** Methods of plain lines, by their number. */
export const plainMethods = ['GET', 'HEAD', 'POST'] as const

/**
 * Where the fields of a plain line lie: one of ASCII without escapes, with an absolute path as target. The bytes of a field are
 * what it says, `-` for "missing" aside.
 */
export interface PlainLine {
  readonly timeMs: number
  /** Place in plainMethods. */
  readonly method: number
  readonly status: number
  /** The address is the first word there. */
  readonly addressFrom: number
  readonly addressTo: number
  readonly targetFrom: number
  /** Where its query or fragment begins, else `targetTo`. */
  readonly pathTo: number
  readonly targetTo: number
  readonly referrerFrom: number
  readonly referrerTo: number
  readonly agentFrom: number
  readonly agentTo: number
}

export interface PlainLineReader {
  /** What the line read last says: always the same object. */
  readonly line: PlainLine
  /**
   * Reads the line that begins at `from`, and returns where the next one begins; -1 when it is not plain, which does not mean that
   * it is malformed. The byte before `to` must be an end of line.
   */
  read(bytes: Buffer, view: DataView, from: number, to: number): number
  /** Opens a way past lines that are known to be ignored; null where there is none. */
  passing(known: KnownVerdicts): PassOver | null
}

/** Passes over plain lines that are known to be ignored, counts them there, and returns where the first other one begins. */
export type PassOver = (bytes: Buffer, from: number, to: number, latestMs: number) => number

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
  return { line, parse: raw => parse(raw.decoded, line), directive, plain: null, context }
}

export const noDirectives: Pick<LineParser, 'directive' | 'context'> = { directive() {}, context: () => null }

/** The empty text for the `-` that logs write where a value is missing. */
export const present = (field: string): string => (field === '-' ? '' : field)

/** A status of three digits; null when the log has none, such as `-` or `000`. */
export function parseStatus(text: string): number | null {
  const status = Number(text)
  return status >= 100 && status <= 999 && Number.isInteger(status) ? status : null
}
