/**
 * Amazon CloudFront, standard logging (v2) with the output format JSON: one object a request, with the fields of the standard log
 * by their names. https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logging.html
 */
import { readBytes, readSeconds } from '../../request-record.ts'
import { type FilledLine, lineByLine, parseStatus } from '../log-line.ts'
import { parseIsoTime, parseJsonTime } from '../log-time.ts'
import { decodePath, decodeText } from './cloudfront.ts'
import { asText, firstOf, type JsonObject, parseJsonObject } from './json-object.ts'

export const cloudfrontJson = lineByLine(
  'cloudfront-json',
  '{"date":"2026-10-10","time":"11:55:36","x-edge-location":"FRA56-P4","sc-bytes":"392","c-ip":"192.0.2.7","cs-method":"GET","cs(Host)":"d111111abcdef8.cloudfront.net","cs-uri-stem":"/start.html","sc-status":"200","cs(Referer)":"-","cs(User-Agent)":"Mozilla/5.0%20(compatible;%20GPTBot/1.3;%20+https://openai.com/gptbot)","cs-uri-query":"page=2","x-edge-result-type":"Hit","x-edge-request-id":"SOX4xwn4XV6Q4rgb7XiVGOHms_BGlTAC4KyHmureZmBNrjGdRLiNIQ==","x-host-header":"www.example.com","cs-protocol":"https"}',
  parse,
)

function parse(text: string, into: FilledLine): boolean {
  const object = parseJsonObject(text)
  if (object === null || typeof object['cs-uri-stem'] !== 'string' || typeof object['cs-method'] !== 'string')
    return false
  const path = object['cs-uri-stem']
  const query = asText(object['cs-uri-query'])
  into.timeMs = timeOf(object)
  into.address = asText(object['c-ip'])
  into.country = asText(object['c-country'])
  into.method = object['cs-method']
  into.url = decodePath(query === '' ? path : `${path}?${query}`)
  into.status = parseStatus(asText(object['sc-status']))
  into.referrer = decodeText(asText(object['cs(Referer)']))
  into.userAgent = decodeText(asText(object['cs(User-Agent)']))
  into.bytes = readBytes(object['sc-bytes'])
  into.durationMs = readSeconds(object['time-taken'])
  into.requestId = asText(object['x-edge-request-id'])
  return true
}

/** By `date` and `time`, or by the timestamps that can be chosen in their place. */
function timeOf(object: JsonObject): number {
  const [date, time] = [asText(object.date), asText(object.time)]
  return date !== '' && time !== ''
    ? parseIsoTime(`${date} ${time}`)
    : parseJsonTime(firstOf(object, ['timestamp(ms)', 'timestamp']))
}
