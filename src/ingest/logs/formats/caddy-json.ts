/**
 * Caddy's access log, JSON unless configured otherwise; `ts` follows the log's `time_format` and `duration` its
 * `duration_format` (both seconds by default).
 * https://caddyserver.com/docs/logging and https://caddyserver.com/docs/caddyfile/directives/log
 */
import { readBytes, readMilliseconds, readSeconds } from '../../request-record.ts'
import { type FilledLine, lineByLine, parseStatus } from '../log-line.ts'
import { parseJsonTime } from '../log-time.ts'
import { asObject, asText, firstOf, type JsonObject, parseJsonObject } from './json-object.ts'

export const caddyJson = lineByLine(
  'caddy-json',
  '{"level":"info","ts":1646861401.5241024,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"192.0.2.7","remote_port":"41342","client_ip":"192.0.2.7","proto":"HTTP/2.0","method":"GET","host":"localhost","uri":"/","headers":{"User-Agent":["curl/7.82.0"],"Accept":["*/*"]}},"bytes_read":0,"user_id":"","duration":0.000929675,"size":10900,"status":200}',
  parse,
)

function parse(text: string, into: FilledLine): boolean {
  const object = parseJsonObject(text)
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
  into.bytes = readBytes(object.size)
  into.durationMs = durationOf(object.duration)
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

const unitMs: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  ns: 1e-6,
}
const goDuration = /^(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|µs|ns))+$/
const goPart = /(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g

const daySeconds = 86_400

/** Seconds, nanoseconds (told apart by size), or a text of Go such as `1m2.5s`. */
function durationOf(value: unknown): number | null {
  if (typeof value === 'number')
    return value > daySeconds ? readMilliseconds(value / 1e6) : readSeconds(value)
  if (typeof value !== 'string' || !goDuration.test(value)) return null
  let ms = 0
  for (const [, count, unit = ''] of value.matchAll(goPart)) ms += Number(count) * unitMs[unit]!
  return readMilliseconds(ms)
}
