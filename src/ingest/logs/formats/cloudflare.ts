/**
 * Cloudflare Logpush, dataset http_requests, as NDJSON. Timestamps are RFC 3339, seconds or nanoseconds, as the job says.
 * https://developers.cloudflare.com/logs/logpush/logpush-job/datasets/zone/http_requests/
 */
import { readBytes, readMilliseconds } from '../../request-record.ts'
import { type FilledLine, lineByLine, parseStatus } from '../log-line.ts'
import { parseJsonTime } from '../log-time.ts'
import { asText, firstOf, type JsonObject, parseJsonObject } from './json-object.ts'

export const cloudflare = lineByLine(
  'cloudflare',
  '{"ClientIP":"192.0.2.7","ClientCountry":"de","ClientRequestHost":"www.example.com","ClientRequestMethod":"GET","ClientRequestURI":"/start.html?page=2","ClientRequestReferer":"","ClientRequestUserAgent":"Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)","EdgeResponseStatus":200,"EdgeStartTimestamp":1791640536123000000,"RayID":"41ddf1740f67442d"}',
  parse,
)

function parse(text: string, into: FilledLine): boolean {
  const object = parseJsonObject(text)
  const url = object && firstOf(object, ['ClientRequestURI', 'ClientRequestPath'])
  if (object === null || typeof url !== 'string' || typeof object.ClientRequestMethod !== 'string')
    return false
  into.timeMs = parseJsonTime(firstOf(object, ['EdgeStartTimestamp', 'EdgeEndTimestamp']))
  into.address = asText(object.ClientIP)
  into.country = asText(object.ClientCountry)
  into.method = object.ClientRequestMethod
  into.url = url
  into.status = parseStatus(asText(object.EdgeResponseStatus))
  into.referrer = asText(object.ClientRequestReferer)
  into.userAgent = asText(object.ClientRequestUserAgent)
  into.bytes = readBytes(object.EdgeResponseBytes)
  into.durationMs = durationOf(object)
  into.requestId = asText(object.RayID)
  return true
}

/** What the origin took; where it was not asked, that is 0, and the time until Cloudflare answered is taken. */
const durationOf = ({ OriginResponseDurationMs, EdgeTimeToFirstByteMs }: JsonObject): number | null =>
  readMilliseconds(OriginResponseDurationMs) || readMilliseconds(EdgeTimeToFirstByteMs)
