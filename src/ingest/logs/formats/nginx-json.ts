/**
 * JSON from nginx. Its form is up to the administrator (`log_format … escape=json '{…}'`), so fields are found under the
 * names of nginx's own variables and the short names that are in common use.
 * Variables: https://nginx.org/en/docs/http/ngx_http_core_module.html#variables
 */
import { readBytes, readSeconds } from '../../request-record.ts'
import { type FilledLine, lineByLine, parseStatus } from '../log-line.ts'
import { parseJsonTime } from '../log-time.ts'
import { asText, firstOf, type JsonObject, parseJsonObject } from './json-object.ts'

const names = {
  time: ['time_iso8601', 'time_local', 'msec', 'time', 'timestamp', '@timestamp', 'date'],
  address: ['remote_addr', 'client_ip', 'remote_ip', 'ip', 'client'],
  request: ['request'],
  method: ['request_method', 'method'],
  target: ['request_uri', 'uri', 'path', 'url'],
  status: ['status', 'response_status'],
  referrer: ['http_referer', 'http_referrer', 'referer', 'referrer', 'request_referer'],
  bytes: ['body_bytes_sent', 'bytes_sent', 'bytes', 'size', 'response_size'],
  seconds: ['request_time'],
  userAgent: ['http_user_agent', 'user_agent', 'agent', 'request_user_agent'],
} as const

export const nginxJson = lineByLine(
  'nginx-json',
  '{"time_iso8601":"2026-10-10T13:55:36+02:00","remote_addr":"192.0.2.7","request_method":"GET","request_uri":"/start.html?page=2","status":"200","http_referer":"","http_user_agent":"Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)"}',
  parse,
)

function parse(text: string, into: FilledLine): boolean {
  const object = parseJsonObject(text)
  if (object === null || !readRequest(object, into)) return false
  const time = firstOf(object, names.time)
  if (time === undefined) return false
  into.timeMs = parseJsonTime(time)
  into.address = asText(firstOf(object, names.address))
  into.status = parseStatus(asText(firstOf(object, names.status)))
  into.referrer = asText(firstOf(object, names.referrer))
  into.userAgent = asText(firstOf(object, names.userAgent))
  into.bytes = readBytes(firstOf(object, names.bytes))
  into.durationMs = readSeconds(firstOf(object, names.seconds))
  return true
}

const requestLine = /^(\S+) (.*?)(?: HTTP\/[\d.]+)?$/s

/** From `$request_method` and `$request_uri`, or from the whole `$request`. Broken requests have neither. */
function readRequest(object: JsonObject, into: FilledLine): boolean {
  const target = firstOf(object, names.target)
  const whole = requestLine.exec(asText(firstOf(object, names.request)))
  into.method = asText(firstOf(object, names.method)) || (whole?.[1] ?? '')
  into.url = asText(target) || (whole?.[2] ?? '')
  return names.request.some(name => name in object) || names.target.some(name => name in object)
}
