/**
 * The formats that Apache and nginx write by default: combined, common, and combined with a leading virtual host.
 * Apache: https://httpd.apache.org/docs/2.4/mod/mod_log_config.html; nginx: ngx_http_log_module, log_format combined.
 */
import { readBytes } from '../../request-record.ts'
import { unescapeField } from '../escapes.ts'
import { type FilledLine, type LogFormat, parseStatus, textParser } from '../log-line.ts'
import { clfTimeLength, createClfTimeReader } from '../log-time.ts'

/** "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\""; whatever a server adds behind is passed over. */
export const combined = clfFormat({
  name: 'combined',
  sample:
    '127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326 "http://www.example.com/start.html" "Mozilla/4.08 [en] (Win98; I ;Nav)"',
  virtualHost: false,
  agent: true,
})

/** "%h %l %u %t \"%r\" %>s %b": without user agent, so no visitor can be recognised in it. */
export const common = clfFormat({
  name: 'common',
  sample: '127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326',
  virtualHost: false,
  agent: false,
})

/** "%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"": Apache's other_vhosts_access.log. */
export const vhostCombined = clfFormat({
  name: 'vhost-combined',
  sample:
    'www.example.com:443 192.0.2.7 - - [10/Oct/2000:13:55:36 -0700] "GET /start.html HTTP/1.1" 200 2326 "-" "Mozilla/4.08 [en] (Win98; I ;Nav)"',
  virtualHost: true,
  agent: true,
})

interface ClfShape {
  readonly name: string
  readonly sample: string
  readonly virtualHost: boolean
  readonly agent: boolean
}

function clfFormat({ name, sample, virtualHost, agent }: ClfShape): LogFormat {
  const open = (siteDomain: string) => {
    const readTime = createClfTimeReader()
    return textParser(siteDomain, (line, into) => {
      const addressTo = readAddress(line, into, virtualHost)
      const requestFrom = addressTo === -1 ? -1 : readMoment(line, addressTo, into, readTime)
      if (requestFrom === -1) return false
      const requestTo = closingQuote(line, requestFrom)
      const sizeTo = requestTo === -1 ? -1 : readStatusAndSize(line, requestTo + 1, into)
      if (sizeTo === -1) return false
      splitRequest(line.slice(requestFrom, requestTo), into)
      if (agent) return readReferrerAndAgent(line, sizeTo, into)
      into.referrer = ''
      into.userAgent = ''
      return sizeTo === line.length
    })
  }
  return { name, sample, open }
}

/** What a client address is made of; a name may stand there too, but not behind a virtual host. */
const addressShape = /^[0-9a-f.:%]*[.:][0-9a-f.:%]*$/i

/** Returns where the client address ends, or -1. A virtual host is only one when an address follows it. */
function readAddress(line: string, into: FilledLine, virtualHost: boolean): number {
  const hostTo = line.indexOf(' ')
  if (hostTo <= 0) return -1
  const from = virtualHost ? hostTo + 1 : 0
  const to = virtualHost ? line.indexOf(' ', from) : hostTo
  if (to === -1) return -1
  into.address = field(line, from, to)
  return virtualHost && !addressShape.test(into.address) ? -1 : to
}

/** Reads ` - - [time] "`; returns where the request begins, or -1. A user name may hold spaces and brackets itself. */
function readMoment(
  line: string,
  from: number,
  into: FilledLine,
  readTime: (line: string, at: number) => number,
): number {
  for (let at = line.indexOf('[', from); at !== -1; at = line.indexOf('[', at + 1)) {
    const end = at + 1 + clfTimeLength
    if (!line.startsWith('] "', end)) continue
    into.timeMs = readTime(line, at + 1)
    if (!Number.isNaN(into.timeMs)) return end + 3
  }
  return -1
}

/** ` 200 2326`, with `-` for either, and maybe more behind it. */
const statusAndSize = /^ (\d{3}|-) (\d{1,18}|-)/
/** Longer than any status and size. */
const statusAndSizeLength = 30

/** Returns where status and size end, or -1. */
function readStatusAndSize(line: string, from: number, into: FilledLine): number {
  const found = statusAndSize.exec(line.slice(from, from + statusAndSizeLength))
  if (found === null) return -1
  into.status = parseStatus(found[1]!)
  into.bytes = readBytes(found[2])
  into.durationMs = null
  return from + found[0].length
}

/** ` "referrer" "user agent"`, and whatever follows. */
function readReferrerAndAgent(line: string, from: number, into: FilledLine): boolean {
  if (!line.startsWith(' "', from)) return false
  const referrerTo = closingQuote(line, from + 2)
  if (referrerTo === -1 || !line.startsWith(' "', referrerTo + 1)) return false
  const agentTo = closingQuote(line, referrerTo + 3)
  if (agentTo === -1) return false
  into.referrer = field(line, from + 2, referrerTo)
  into.userAgent = field(line, referrerTo + 3, agentTo)
  return true
}

const protocol = / H...\/\d(?:\.\d)?$/

/**
 * `GET /path HTTP/1.1` into method and target. Without a protocol (HTTP/0.9) the target goes to the end; a request that
 * is no HTTP at all, such as a TLS greeting or `-`, is a method that nobody counts. Targets may hold stray spaces.
 */
function splitRequest(request: string, into: FilledLine): void {
  const methodTo = request.indexOf(' ')
  into.method = methodTo === -1 ? request : request.slice(0, methodTo)
  const target = methodTo === -1 ? '' : request.slice(methodTo)
  const protocolAt = target.search(protocol)
  into.url = field(target, 1, protocolAt > 0 ? protocolAt : target.length)
}

/** The quote that ends a field: one with an even number of backslashes before it. -1 when there is none. */
function closingQuote(line: string, from: number): number {
  for (let at = line.indexOf('"', from); at !== -1; at = line.indexOf('"', at + 1)) {
    let before = at
    while (before > from && line[before - 1] === '\\') before--
    if (((at - before) & 1) === 0) return at
  }
  return -1
}

function field(line: string, from: number, to: number): string {
  const text = line.slice(from, to)
  return text === '-' ? '' : unescapeField(text)
}
