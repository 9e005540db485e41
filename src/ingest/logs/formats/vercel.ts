/**
 * Log drains of Vercel: one JSON object an entry. An entry is of a request when it has `proxy`; others are the output of builds
 * and functions. https://vercel.com/docs/drains/reference/logs
 */
import { readBytes } from '../../request-record.ts'
import { type FilledLine, lineByLine, parseStatus } from '../log-line.ts'
import { parseJsonTime } from '../log-time.ts'
import { asObject, asText, firstOf, type JsonObject, parseJsonObject } from './json-object.ts'

export const vercel = lineByLine(
  'vercel',
  '{"id":"1573817250283254651097202070","deploymentId":"dpl_233NRGRjVZX1caZrXWtz5g1TAksD","source":"lambda","host":"my-app-abc123.vercel.app","timestamp":1573817250283,"projectId":"gdufoJxB6b9b1fEqr1jUtFkyavUU","level":"info","requestId":"643af4e3-975a-4cc7-9e7a-1eda11539d90","statusCode":200,"path":"/api/users","environment":"production","proxy":{"timestamp":1573817250172,"method":"GET","host":"my-app.vercel.app","path":"/start.html?page=2","userAgent":["Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)"],"referer":"https://my-app.vercel.app","region":"sfo1","statusCode":200,"clientIp":"192.0.2.7","scheme":"https","vercelCache":"MISS"}}',
  parse,
)

/** -1 is written for a page that Vercel made anew by itself, in the background. */
const background = -1

function parse(text: string, into: FilledLine): boolean {
  const entry = parseJsonObject(text)
  const proxy = visitOf(entry)
  if (entry === null || proxy === null || typeof proxy.path !== 'string' || typeof proxy.method !== 'string')
    return false
  const { userAgent } = proxy
  into.timeMs = parseJsonTime(proxy.timestamp)
  into.address = asText(proxy.clientIp)
  into.method = proxy.method
  into.url = proxy.path
  into.status = parseStatus(asText(proxy.statusCode))
  into.referrer = asText(proxy.referer)
  into.userAgent = Array.isArray(userAgent) ? userAgent.map(asText).join(' ') : asText(userAgent)
  into.bytes = readBytes(proxy.responseByteSize)
  // One request makes an entry for each line that its function writes.
  into.requestId = asText(firstOf(entry, ['requestId', 'id']))
  return true
}

/** The request that somebody made, behind an entry; null when there is none. */
export function visitOf(entry: JsonObject | null): JsonObject | null {
  const proxy = asObject(entry?.proxy)
  return proxy?.statusCode === background ? null : proxy
}
