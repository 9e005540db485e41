/**
 * AWS Application Load Balancer access log: fields separated by spaces, some in quotes; there is no referrer.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html
 */
import { readBytes, readSeconds } from '../../request-record.ts'
import { unescapeField } from '../escapes.ts'
import { type FilledLine, lineByLine, parseStatus, present } from '../log-line.ts'
import { parseIsoTime } from '../log-time.ts'

/**
 * type time elb client:port target:port, three processing times, elb_status_code target_status_code received_bytes
 * sent_bytes "request" "user_agent", and more that is not needed.
 */
const entry =
  /^(?:https?|h2|grpcs|wss?) (\S+) \S+ (\S+) \S+ (\S+ \S+ \S+) (\d{3}|-) \S+ \S+ (\S+) "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"(?: |$)/

/** The target is absolute: `GET https://www.example.com:443/path?query HTTP/1.1`; `- http://… -` for a broken request. */
const request = /^(\S+) (.*?)(?: (?:HTTP\/[\d.]+|-)\s?)?$/s

export const alb = lineByLine(
  'alb',
  'https 2018-07-02T22:23:00.186641Z app/my-loadbalancer/50dc6c495c0c9188 192.168.131.39:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 "GET https://www.example.com:443/ HTTP/1.1" "curl/7.46.0" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/my-targets/73e2d6bc24d8a067 "Root=1-58337281-1d84f3d73c47ec4e58577259" "www.example.com" "arn:aws:acm:us-east-2:123456789012:certificate/12345678-1234-1234-1234-123456789012" 1 2018-07-02T22:22:48.364000Z "authenticate,forward" "-" "-" "10.0.0.1:80" "200" "-" "-"',
  parse,
)

function parse(text: string, into: FilledLine): boolean {
  const fields = entry.exec(text)
  if (fields === null) return false
  const [, time = '', client = '', times = '', status = '', bytes, requestLine = '', userAgent = ''] = fields
  const [, method = '', target = ''] = request.exec(requestLine) ?? []
  into.timeMs = parseIsoTime(time)
  into.address = client.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
  into.method = present(method)
  into.url = unescapeField(target)
  into.status = parseStatus(status)
  into.userAgent = unescapeField(present(userAgent))
  into.bytes = readBytes(bytes)
  into.durationMs = durationOf(times)
  return true
}

/** The seconds for the request, the target and the response; -1 for each that did not happen. */
function durationOf(times: string): number | null {
  const seconds = times.split(' ').map(Number)
  return seconds.some(part => part < 0) ? null : readSeconds(seconds.reduce((sum, part) => sum + part, 0))
}
