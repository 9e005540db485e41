/**
 * Lines of access logs that a log shipper has wrapped: in a header of syslog, or as the text of a JSON object. What is inside
 * may have any format that the import knows.
 */
import { asText, firstOf, type JsonObject, parseJsonObject } from '../logs/formats/json-object.ts'
import { logFormats } from '../logs/formats.ts'
import { type FilledLine, type LineParser, openParser } from '../logs/log-line.ts'

/** A parser that tries every format, the one that fitted last before all others. */
export function openShippedLines(): LineParser {
  const parsers = logFormats.map(format => format.open(null))
  let last = 0

  const parseAs = (parser: LineParser, text: string, into: FilledLine): boolean => {
    if (!parser.parse(text) || Number.isNaN(parser.line.timeMs)) return false
    // The shipper may send a line again under another name, so the request has none.
    Object.assign(into, parser.line, { requestId: '' })
    return true
  }
  const parseInside = (text: string, into: FilledLine): boolean => {
    if (parseAs(parsers[last]!, text, into)) return true
    const found = parsers.findIndex((parser, at) => at !== last && parseAs(parser, text, into))
    if (found !== -1) last = found
    return found !== -1
  }
  const parse = (entry: string, into: FilledLine): boolean => {
    const text = entry.replace(syslogHeader, '')
    if (parseInside(text, into)) return true
    const inside = textInside(parseJsonObject(text))
    return inside !== '' && parseInside(inside.replace(syslogHeader, ''), into)
  }
  return openParser(parse, {
    directive(text) {
      for (const parser of parsers) parser.directive(text)
    },
    context: () => null,
  })
}

/**
 * RFC 5424, RFC 3164, and the mixture of both that Fastly writes by default; before it the length that octet counting puts
 * there (RFC 6587).
 */
const syslogHeader =
  /^\s*(?:\d+ )?<\d{1,3}>(?:1 (?:\S+ ){5}(?:-|(?:\[(?:[^\]\\]|\\.)*\])+) ?\ufeff?|(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\S+) \S+ [^\s:[]+(?:\[[^\]]*\])?: ?)/

/** Where Vector (`message`), Fluent Bit (`log`) and rsyslog (`msg`) put the line that they have read. */
const textInside = (object: JsonObject | null): string =>
  object === null ? '' : asText(firstOf(object, ['message', 'log', 'msg']))
