/**
 * The formats that Apache and nginx write by default: combined, common, and combined with a leading virtual host.
 * Apache: https://httpd.apache.org/docs/2.4/mod/mod_log_config.html; nginx: ngx_http_log_module, log_format combined.
 */
import { readBytes } from '../../request-record.ts'
import { unescapeField } from '../escapes.ts'
import { type FilledLine, type LogFormat, openParser, parseStatus } from '../log-line.ts'
import { type ClfTimeReader, clfTimeLength, createClfTimeReader } from '../log-time.ts'

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
  return {
    name,
    sample,
    open() {
      const readTime = createClfTimeReader()
      return openParser((text, into) => {
        const addressTo = readAddress(text, virtualHost, into)
        const requestFrom = addressTo === -1 ? -1 : readMoment(text, addressTo, readTime, into)
        const requestTo = requestFrom === -1 ? -1 : closingQuote(text, requestFrom)
        const sizeTo = requestTo === -1 ? -1 : readStatusAndSize(text, requestTo + 1, into)
        if (sizeTo === -1) return false
        if (agent ? !readReferrerAndAgent(text, sizeTo, into) : sizeTo !== text.length) return false
        splitRequest(text.slice(requestFrom, requestTo), into)
        return true
      })
    },
  }
}

/** What a client address is made of; a name may stand there too, but not behind a virtual host. */
const addressShape = /^[0-9a-f.:%]*[.:][0-9a-f.:%]*$/i

/** Returns where the client address ends, or -1. A virtual host is only one when an address follows it. */
function readAddress(text: string, virtualHost: boolean, into: FilledLine): number {
  const hostTo = text.indexOf(' ')
  if (hostTo < 1) return -1
  const from = virtualHost ? hostTo + 1 : 0
  const to = virtualHost ? text.indexOf(' ', from) : hostTo
  if (to === -1) return -1
  into.address = readField(text, from, to)
  return virtualHost && !addressShape.test(into.address) ? -1 : to
}

/** Reads ` - - [time] "`; returns where the request begins, or -1. A user name may hold spaces and brackets itself. */
function readMoment(text: string, from: number, readTime: ClfTimeReader, into: FilledLine): number {
  for (let at = text.indexOf('[', from + 1); at !== -1; at = text.indexOf('[', at + 1)) {
    const end = at + 1 + clfTimeLength
    if (!text.startsWith('] "', end)) continue
    into.timeMs = readTime(text, at + 1)
    if (!Number.isNaN(into.timeMs)) return end + 3
  }
  return -1
}

/** ` 200 2326`, with `-` for either; returns where it ends, or -1. */
function readStatusAndSize(text: string, from: number, into: FilledLine): number {
  const statusFrom = from + 1
  const statusTo = numberEnd(text, statusFrom)
  const isStatus = statusTo === statusFrom + 3 || text.startsWith('- ', statusFrom)
  if (text.charCodeAt(from) !== space || !isStatus || text.charCodeAt(statusTo) !== space) return -1
  const sizeTo = numberEnd(text, statusTo + 1)
  if (sizeTo === statusTo + 1) return -1
  into.status = parseStatus(text.slice(statusFrom, statusTo))
  into.bytes = readBytes(text.slice(statusTo + 1, sizeTo))
  return sizeTo
}

/** Where digits end, or the dash in their place; `from` when there is neither. */
function numberEnd(text: string, from: number): number {
  let at = from
  while (isDigit(text.charCodeAt(at))) at++
  return at === from && text.charCodeAt(at) === dash ? at + 1 : at
}

/** ` "referrer" "user agent"`, and whatever follows. */
function readReferrerAndAgent(text: string, from: number, into: FilledLine): boolean {
  if (!text.startsWith(' "', from)) return false
  const referrerTo = closingQuote(text, from + 2)
  if (referrerTo === -1 || !text.startsWith(' "', referrerTo + 1)) return false
  const agentTo = closingQuote(text, referrerTo + 3)
  if (agentTo === -1) return false
  into.referrer = readField(text, from + 2, referrerTo)
  into.userAgent = readField(text, referrerTo + 3, agentTo)
  return true
}

/**
 * `GET /path HTTP/1.1` into method and target. Without a protocol (HTTP/0.9) the target goes to the end; a request that
 * is no HTTP at all, such as a TLS greeting or `-`, is a method that nobody counts. Targets may hold stray spaces.
 */
function splitRequest(request: string, into: FilledLine): void {
  const methodTo = request.indexOf(' ')
  // As it stands there: escaped bytes of what is no HTTP are no method anyhow.
  into.method = methodTo === -1 ? request : request.slice(0, methodTo)
  const target = methodTo === -1 ? '' : request.slice(methodTo + 1)
  into.url = readField(target, 0, targetEnd(target))
}

/** Where ` HTTP/1.1` or ` HTTP/2` begins at the end of a target, or its end. */
function targetEnd(target: string): number {
  const end = target.length
  if (isProtocol(target, end - 9)) return end - 9
  return isProtocol(target, end - 7) ? end - 7 : end
}

const isProtocol = (target: string, at: number): boolean =>
  at >= 0 && target.startsWith(' H', at) && target.charCodeAt(at + 5) === slash

/** The quote that ends a field: one with an even number of backslashes before it. -1 when there is none. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at !== -1 && text.charCodeAt(at - 1) === backslash && isEscaped(text, from, at)) {
    at = text.indexOf('"', at + 1)
  }
  return at
}

function isEscaped(text: string, from: number, at: number): boolean {
  let before = at
  while (before > from && text.charCodeAt(before - 1) === backslash) before--
  return ((at - before) & 1) === 1
}

function readField(text: string, from: number, to: number): string {
  if (to - from === 1 && text.charCodeAt(from) === dash) return ''
  return unescapeField(text.slice(from, to))
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57

const space = 32
const dash = 45
const slash = 47
const backslash = 92
