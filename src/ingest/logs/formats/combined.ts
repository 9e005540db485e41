/**
 * The formats that Apache and nginx write by default: combined, common, and combined with a leading virtual host.
 * Apache: https://httpd.apache.org/docs/2.4/mod/mod_log_config.html; nginx: ngx_http_log_module, log_format combined.
 *
 * They are most logs there are, so they are read with plain searches and no regular expression: this is the hot path of
 * an import.
 */
import { unescapeField } from '../escapes.ts'
import { type LineParser, type LogFormat, type LogLine, present } from '../log-line.ts'
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
  return { name, sample, open: () => createClfParser(virtualHost, agent) }
}

const space = 32
const quote = 34
const closingBracket = 93
const backslash = 92

function createClfParser(virtualHost: boolean, agent: boolean): LineParser {
  const readTime = createClfTimeReader()

  function parse(line: string, into: LogLine): boolean {
    const addressStart = virtualHost ? line.indexOf(' ') + 1 : 0
    const addressEnd = line.indexOf(' ', addressStart)
    if (addressEnd <= addressStart) return false
    const address = line.slice(addressStart, addressEnd)
    if (virtualHost && (addressStart < 2 || !looksLikeAddress(address))) return false

    const requestStart = readMoment(line, addressEnd, into)
    if (requestStart === -1) return false
    const requestEnd = closingQuote(line, requestStart)
    if (requestEnd === -1) return false
    const sizeEnd = readStatusAndSize(line, requestEnd + 1, into)
    if (sizeEnd === -1) return false
    if (agent ? !readReferrerAndAgent(line, sizeEnd, into) : sizeEnd !== line.length) return false

    splitRequest(line, requestStart, requestEnd, into)
    into.address = address
    if (line.includes('\\')) unescapeAll(into)
    return true
  }

  /** Reads ` [time] "`; returns where the request begins, or -1. A user name before it may hold brackets itself. */
  function readMoment(line: string, from: number, into: LogLine): number {
    for (let at = line.indexOf('[', from); at !== -1; at = line.indexOf('[', at + 1)) {
      const end = at + 1 + clfTimeLength
      if (line.charCodeAt(end) !== closingBracket || line.charCodeAt(end + 2) !== quote) continue
      const timeMs = readTime(line, at + 1)
      if (Number.isNaN(timeMs)) continue
      into.timeMs = timeMs
      return end + 3
    }
    return -1
  }

  return { parse, directive() {}, context: () => null }
}

/** ` 200 2326`, with `-` for either; returns where it ends, or -1. */
function readStatusAndSize(line: string, at: number, into: LogLine): number {
  if (line.charCodeAt(at) !== space) return -1
  let next = at + 1
  let status = 0
  for (; isDigit(line, next); next++) status = status * 10 + line.charCodeAt(next) - 48
  if (next === at + 1 && line[next] === '-') next++
  else if (next !== at + 4) return -1
  into.status = status >= 100 ? status : null

  if (line.charCodeAt(next) !== space) return -1
  const sizeStart = next + 1
  next = sizeStart
  while (isDigit(line, next)) next++
  if (next === sizeStart && line[next] === '-') next++
  return next === sizeStart ? -1 : next
}

/** ` "referrer" "user agent"`, and whatever follows. */
function readReferrerAndAgent(line: string, at: number, into: LogLine): boolean {
  if (line.charCodeAt(at) !== space || line.charCodeAt(at + 1) !== quote) return false
  const referrerEnd = closingQuote(line, at + 2)
  if (referrerEnd === -1) return false
  if (line.charCodeAt(referrerEnd + 1) !== space || line.charCodeAt(referrerEnd + 2) !== quote) return false
  const agentEnd = closingQuote(line, referrerEnd + 3)
  if (agentEnd === -1) return false
  into.referrer = present(line.slice(at + 2, referrerEnd))
  into.userAgent = present(line.slice(referrerEnd + 3, agentEnd))
  return true
}

/**
 * `GET /path HTTP/1.1` into method and target. Without a protocol (HTTP/0.9) the target goes to the end; a request that
 * is no HTTP at all, such as a TLS greeting or `-`, is a method that nobody counts. Targets may hold stray spaces.
 */
function splitRequest(line: string, start: number, end: number, into: LogLine): void {
  const methodEnd = line.indexOf(' ', start)
  if (methodEnd === -1 || methodEnd >= end) {
    into.method = line.slice(start, end)
    into.url = ''
    return
  }
  into.method = line.slice(start, methodEnd)
  into.url = line.slice(methodEnd + 1, protocolStart(line, methodEnd + 1, end))
}

/** Where ` HTTP/1.1` or ` HTTP/2` begins at the end of the request, or its end. */
function protocolStart(line: string, from: number, end: number): number {
  for (const length of [9, 7]) {
    const at = end - length
    if (at >= from && line.charCodeAt(at) === space && line.startsWith('HTTP/', at + 1)) return at
  }
  return end
}

/** The quote that ends a field: one with an even number of backslashes before it. -1 when there is none. */
function closingQuote(line: string, from: number): number {
  let at = line.indexOf('"', from)
  while (at > from && line.charCodeAt(at - 1) === backslash) {
    let before = at - 2
    while (before >= from && line.charCodeAt(before) === backslash) before--
    if ((at - before) % 2 === 1) return at
    at = line.indexOf('"', at + 1)
  }
  return at
}

function unescapeAll(into: LogLine): void {
  into.url = unescapeField(into.url)
  into.referrer = unescapeField(into.referrer)
  into.userAgent = unescapeField(into.userAgent)
}

const address = /^[0-9a-f.:%]*[.:][0-9a-f.:%]*$/i
const looksLikeAddress = (text: string): boolean => address.test(text)

function isDigit(line: string, at: number): boolean {
  const code = line.charCodeAt(at)
  return code >= 48 && code <= 57
}
