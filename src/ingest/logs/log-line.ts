/** Defines what a line of an access log says about a request, and what a log format must provide. */
import type { RequestRecord } from '../request-record.ts'

/** One request, as text: escapes of the log are undone, and `-` for "missing" is the empty text. */
export interface LogLine extends RequestRecord {
  /** NaN when the line's time is none. */
  readonly timeMs: number
  /** By which the log tells this request from all others; empty when it does not. */
  readonly requestId: string
}

/** Reads the lines of one log, in their order. */
export interface LineParser {
  /** What the line parsed last says; always the same object, so that no line costs a new one. */
  readonly line: LogLine
  /** False when the line is not of this format, and `line` then holds rubbish. Never throws. */
  parse(text: string): boolean
  /** A line that begins with `#`. */
  directive(text: string): void
  /** What `open` needs to go on behind the lines read so far; null when nothing. */
  context(): string | null
}

export interface LogFormat {
  readonly name: string
  /** A line in this format, as the vendor documents it; with the `#` lines that must stand before it. */
  readonly sample: string
  open(context: string | null): LineParser
}

/** A LogLine to be filled. */
export type FilledLine = { -readonly [Field in keyof LogLine]: LogLine[Field] }

/** Fills `into` from a line; false when the line is not of the format. What not every format tells says nothing yet. */
export type ParseLine = (text: string, into: FilledLine) => boolean

/** A format whose lines can each be read by themselves. */
export const lineByLine = (name: string, sample: string, parse: ParseLine): LogFormat => ({
  name,
  sample,
  open: () => openParser(parse),
})

export function openParser(
  parse: ParseLine,
  { directive, context }: Pick<LineParser, 'directive' | 'context'> = noDirectives,
): LineParser {
  const line = emptyLine()
  return {
    line,
    parse(text) {
      // One by one, because Object.assign is several times as slow.
      line.status = null
      line.referrer = ''
      line.userAgent = ''
      line.country = ''
      line.bytes = null
      line.durationMs = null
      line.requestId = ''
      return parse(text, line)
    },
    directive,
    context,
  }
}

const emptyLine = (): FilledLine => ({
  method: '',
  url: '',
  status: null,
  userAgent: '',
  referrer: '',
  address: '',
  country: '',
  timeMs: Number.NaN,
  bytes: null,
  durationMs: null,
  requestId: '',
})

const noDirectives: Pick<LineParser, 'directive' | 'context'> = { directive() {}, context: () => null }

/** The empty text for the `-` that logs write where a value is missing. */
export const present = (field: string): string => (field === '-' ? '' : field)

/** A status of three digits; null when the log has none, such as `-` or `000`. */
export function parseStatus(text: string): number | null {
  const status = Number(text)
  return status >= 100 && status <= 999 && Number.isInteger(status) ? status : null
}
