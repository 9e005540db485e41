/**
 * Log drains of Netlify, log type "traffic": one JSON object a request. Entries of other types are the output of functions
 * and deploys. https://docs.netlify.com/manage/monitoring/log-drains/
 */
import { readBytes, readMilliseconds } from '../../request-record.ts'
import { type FilledLine, lineByLine, parseStatus } from '../log-line.ts'
import { parseJsonTime } from '../log-time.ts'
import { asText, type JsonObject, parseJsonObject } from './json-object.ts'

export const netlify = lineByLine(
  'netlify',
  '{"account_id":"5f0c","client_ip":"192.0.2.7","content_type":"text/html; charset=UTF-8","country":"DE","deploy_id":"6412","duration":12,"log_type":"traffic","method":"GET","referrer":"","request_id":"01HF9P2M7Q8Z3K4W5X6Y7V8T9R","request_size":512,"response_size":2326,"site_id":"9d3b","status_code":200,"timestamp":"2026-10-10T11:55:36.123Z","url":"https://www.example.com/start.html?page=2","user_agent":"Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)"}',
  parse,
)

function parse(text: string, into: FilledLine): boolean {
  const object = parseJsonObject(text)
  if (object === null || !isTraffic(object)) return false
  if (typeof object.url !== 'string' || typeof object.method !== 'string') return false
  into.timeMs = parseJsonTime(object.timestamp)
  into.address = asText(object.client_ip)
  into.country = asText(object.country)
  into.method = object.method
  into.url = object.url
  into.status = parseStatus(asText(object.status_code))
  into.referrer = asText(object.referrer)
  into.userAgent = asText(object.user_agent)
  into.bytes = readBytes(object.response_size)
  into.durationMs = readMilliseconds(object.duration)
  into.requestId = asText(object.request_id)
  return true
}

/** An entry that names no type is of a request when it has a status. */
export const isTraffic = ({ log_type, status_code }: JsonObject): boolean =>
  log_type === 'traffic' || (log_type === undefined && status_code !== undefined)
