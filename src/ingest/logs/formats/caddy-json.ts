/**
 * Caddy's access log, JSON unless configured otherwise; `ts` follows the log's `time_format` (seconds by default).
 * https://caddyserver.com/docs/logging and https://caddyserver.com/docs/caddyfile/directives/log
 */
import { readBytes, readSeconds } from '../../request-record.ts'
import { type FilledLine, lineByLine, parseStatus } from '../log-line.ts'
import { parseJsonTime } from '../log-time.ts'
import { asObject, asText, firstOf, type JsonObject, parseJsonObject } from './json-object.ts'

export const caddyJson = lineByLine(
  'caddy-json',
  '{"level":"info","ts":1646861401.5241024,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"192.0.2.7","remote_port":"41342","client_ip":"192.0.2.7","proto":"HTTP/2.0","method":"GET","host":"localhost","uri":"/","headers":{"User-Agent":["curl/7.82.0"],"Accept":["*/*"]}},"bytes_read":0,"user_id":"","duration":0.000929675,"size":10900,"status":200}',
  parse,
)

function parse(line: string, into: FilledLine): boolean {
  const object = parseJsonObject(line)
  const request = asObject(object?.request)
  if (object === null || request === null || typeof request.uri !== 'string') return false
  const headers = asObject(request.headers) ?? {}
  into.timeMs = parseJsonTime(object.ts)
  into.address = address(request)
  into.method = asText(request.method)
  into.url = request.uri
  into.status = parseStatus(asText(object.status))
  into.referrer = header(headers, 'Referer')
  into.userAgent = header(headers, 'User-Agent')
  into.country = ''
  into.bytes = readBytes(object.size)
  into.durationMs = readDuration(object.duration)
  return true
}

/** `client_ip` heeds trusted proxies; before 2.5 there was only `remote_addr`, with the port. */
function address(request: JsonObject): string {
  const ip = asText(firstOf(request, ['client_ip', 'remote_ip']))
  return (
    ip ||
    asText(request.remote_addr)
      .replace(/:\d+$/, '')
      .replace(/^\[|\]$/g, '')
  )
}

/** Headers are lists; Caddy keeps Go's canonical spelling, a filter may have made a text of it. */
function header(headers: JsonObject, name: string): string {
  const value = headers[name]
  return asText(Array.isArray(value) ? value[0] : value)
}

/** Seconds, or a text such as `1.5ms` where the log encoder is set to write one. */
function readDuration(value: unknown): number | null {
  const [, number, unit] = /^([\d.]+)(ns|µs|us|ms|s)$/.exec(asText(value)) ?? []
  return unit === undefined ? readSeconds(value) : readSeconds(Number(number) * secondsOf[unit]!)
}

const secondsOf: Readonly<Record<string, number>> = { ns: 1e-9, µs: 1e-6, us: 1e-6, ms: 1e-3, s: 1 }
