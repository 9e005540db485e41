/** Parses the W3C extended log file format. A `#Fields` line names the columns of the lines that follow, and may appear again. */
import { readBytes } from '../../request-record.ts'
import {
  type FilledLine,
  type LineParser,
  type LogFormat,
  openParser,
  parseStatus,
  present,
} from '../log-line.ts'
import { parseIsoTime } from '../log-time.ts'

export interface W3cDialect {
  readonly name: string
  readonly sample: string
  readonly separator: '\t' | ' '
  /** Turns a column as it stands in the line into what was sent. */
  decodeText(field: string): string
  decodePath(field: string): string
  /** Reads the column `time-taken`, in milliseconds. */
  readDuration(field: string): number | null
}

/** Columns by name, as `#Fields` orders them. */
interface Columns {
  readonly count: number
  readonly date: number
  readonly time: number
  readonly address: number
  readonly country: number
  readonly method: number
  readonly path: number
  readonly query: number
  readonly status: number
  readonly referrer: number
  readonly userAgent: number
  readonly bytes: number
  readonly duration: number
}

const fieldsDirective = /^#Fields:\s*(.*)$/i

export function w3cFormat(dialect: W3cDialect): LogFormat {
  const { name, sample } = dialect
  return { name, sample, open: context => openW3c(dialect, context) }
}

/** The context is the last `#Fields` line. */
function openW3c(dialect: W3cDialect, context: string | null): LineParser {
  let fieldsLine = context
  let columns = context === null ? null : readColumns(context)

  const parse = (line: string, into: FilledLine): boolean =>
    columns !== null && readLine(line.split(dialect.separator), columns, dialect, into)
  return openParser(parse, {
    directive(line) {
      if (!fieldsDirective.test(line)) return
      fieldsLine = line
      columns = readColumns(line)
    },
    context: () => fieldsLine,
  })
}

/** Null when the columns do not tell when and what was asked for; lines are then malformed until they do. */
function readColumns(line: string): Columns | null {
  const names = (fieldsDirective.exec(line)?.[1] ?? '').trim().split(/\s+/)
  const at = (name: string): number => names.findIndex(field => field.toLowerCase() === name)
  const columns: Columns = {
    count: names.length,
    date: at('date'),
    time: at('time'),
    address: at('c-ip'),
    country: at('c-country'),
    method: at('cs-method'),
    path: at('cs-uri-stem'),
    query: at('cs-uri-query'),
    status: at('sc-status'),
    referrer: at('cs(referer)'),
    userAgent: at('cs(user-agent)'),
    bytes: at('sc-bytes'),
    duration: at('time-taken'),
  }
  const { date, time, method, path } = columns
  return date === -1 || time === -1 || method === -1 || path === -1 ? null : columns
}

function readLine(fields: string[], columns: Columns, dialect: W3cDialect, into: FilledLine): boolean {
  if (fields.length !== columns.count) return false
  const field = (column: number): string => present(fields[column] ?? '')
  const path = field(columns.path)
  const query = field(columns.query)
  into.timeMs = parseIsoTime(`${field(columns.date)} ${field(columns.time)}`)
  into.address = field(columns.address)
  into.country = field(columns.country)
  into.method = field(columns.method)
  into.url = dialect.decodePath(query === '' ? path : `${path}?${query}`)
  into.status = parseStatus(field(columns.status))
  into.referrer = dialect.decodeText(field(columns.referrer))
  into.userAgent = dialect.decodeText(field(columns.userAgent))
  into.bytes = readBytes(field(columns.bytes))
  into.durationMs = dialect.readDuration(field(columns.duration))
  return true
}
