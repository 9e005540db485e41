/**
 * The formats that Apache and nginx write by default: combined, common, and combined with a leading virtual host.
 * Apache: https://httpd.apache.org/docs/2.4/mod/mod_log_config.html; nginx: ngx_http_log_module, log_format combined.
 */
import { viewOf } from '../byte-memory.ts'
import { unescapeField } from '../escapes.ts'
import { type LineParser, type LogFormat, type LogLine, noDirectives, type RawLine } from '../log-line.ts'
import { clfTimeLength, createClfTimeReader } from '../log-time.ts'
import { addressShape, createPlainCombinedReader } from './plain-combined.ts'

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
  return { name, sample, open: siteDomain => createClfParser(siteDomain, virtualHost, agent) }
}

function createClfParser(siteDomain: string, virtualHost: boolean, agent: boolean): LineParser {
  const line = new ClfLine(siteDomain)
  const plain = agent ? () => createPlainCombinedReader(virtualHost) : null
  return { line, parse: raw => line.read(raw, virtualHost, agent), plain, ...noDirectives }
}

const space = 32
const quote = 34
const slash = 47
const capitalH = 72
const dash = 45
const openingBracket = 91
const backslash = 92
const closingBracket = 93

/** Where the fields of a line lie in what was read of the log; a field becomes a text when someone asks for it. */
class ClfLine implements LogLine {
  readonly siteDomain: string
  readonly country = ''
  timeMs = Number.NaN
  status: number | null = null
  readonly #readTime = createClfTimeReader()
  #bytes: Buffer = Buffer.alloc(0)
  #view = viewOf(this.#bytes)
  #requestFrom = 0
  #methodTo = 0
  #targetFrom = 0
  #targetTo = 0
  #addressFrom = 0
  #addressTo = 0
  #referrerFrom = 0
  #referrerTo = 0
  #agentFrom = 0
  #agentTo = 0

  constructor(siteDomain: string) {
    this.siteDomain = siteDomain
  }

  get address(): string {
    return readField(this.#bytes, this.#addressFrom, this.#addressTo)
  }

  /** As it stands there: escaped bytes of what is no HTTP are no method anyhow. */
  get method(): string {
    return this.#bytes.toString('latin1', this.#requestFrom, this.#methodTo)
  }

  get url(): string {
    return readField(this.#bytes, this.#targetFrom, this.#targetTo)
  }

  get referrer(): string {
    return readField(this.#bytes, this.#referrerFrom, this.#referrerTo)
  }

  get userAgent(): string {
    return readField(this.#bytes, this.#agentFrom, this.#agentTo)
  }

  /** False when the line is malformed. */
  read(raw: RawLine, virtualHost: boolean, agent: boolean): boolean {
    const { from, to } = raw
    this.#bytes = raw.bytes
    this.#view = raw.view
    const addressTo = this.#readAddress(from, to, virtualHost)
    if (addressTo === -1) return false
    const requestFrom = this.#readMoment(addressTo, to)
    if (requestFrom === -1) return false
    const requestTo = this.#closingQuote(requestFrom, to)
    if (requestTo === -1) return false
    const sizeTo = this.#readStatusAndSize(requestTo + 1)
    if (sizeTo === -1) return false
    if (agent ? !this.#readReferrerAndAgent(sizeTo, to) : sizeTo !== to) return false
    this.#splitRequest(requestFrom, requestTo)
    return true
  }

  /** Returns where the client address ends, or -1. A virtual host is only one when an address follows it. */
  #readAddress(from: number, to: number, virtualHost: boolean): number {
    const hostTo = this.#spaceFrom(from, to)
    if (hostTo === from || hostTo === to) return -1
    this.#addressFrom = virtualHost ? hostTo + 1 : from
    this.#addressTo = virtualHost ? this.#spaceFrom(hostTo + 1, to) : hostTo
    if (virtualHost && !addressShape.test(this.address)) return -1
    return this.#addressTo
  }

  /** Reads ` - - [time] "`; returns where the request begins, or -1. A user name may hold spaces and brackets itself. */
  #readMoment(from: number, to: number): number {
    const bytes = this.#bytes
    const last = to - clfTimeLength - 3
    for (let at = from + 1; at < last; at++) {
      if (bytes[at] !== openingBracket) continue
      const end = at + 1 + clfTimeLength
      if (bytes[end] !== closingBracket || bytes[end + 1] !== space || bytes[end + 2] !== quote) continue
      const timeMs = this.#readTime(this.#view, at + 1)
      if (Number.isNaN(timeMs)) continue
      this.timeMs = timeMs
      return end + 3
    }
    return -1
  }

  /** ` 200 2326`, with `-` for either; returns where it ends, or -1. */
  #readStatusAndSize(from: number): number {
    const bytes = this.#bytes
    if (bytes[from] !== space) return -1
    let at = from + 1
    let status = 0
    for (; isDigit(bytes[at]!); at++) status = status * 10 + bytes[at]! - 48
    if (at === from + 1 && bytes[at] === dash) at++
    else if (at !== from + 4) return -1
    this.status = status >= 100 ? status : null

    if (bytes[at] !== space) return -1
    const sizeFrom = at + 1
    at = sizeFrom
    while (isDigit(bytes[at]!)) at++
    if (at === sizeFrom && bytes[at] === dash) at++
    return at === sizeFrom ? -1 : at
  }

  /** ` "referrer" "user agent"`, and whatever follows. */
  #readReferrerAndAgent(at: number, to: number): boolean {
    const bytes = this.#bytes
    if (bytes[at] !== space || bytes[at + 1] !== quote) return false
    const referrerTo = this.#closingQuote(at + 2, to)
    if (referrerTo === -1) return false
    if (bytes[referrerTo + 1] !== space || bytes[referrerTo + 2] !== quote) return false
    const agentTo = this.#closingQuote(referrerTo + 3, to)
    this.#referrerFrom = at + 2
    this.#referrerTo = referrerTo
    this.#agentFrom = referrerTo + 3
    this.#agentTo = agentTo
    return agentTo !== -1
  }

  /**
   * `GET /path HTTP/1.1` into method and target. Without a protocol (HTTP/0.9) the target goes to the end; a request that
   * is no HTTP at all, such as a TLS greeting or `-`, is a method that nobody counts. Targets may hold stray spaces.
   */
  #splitRequest(from: number, to: number): void {
    const methodTo = this.#spaceFrom(from, to)
    this.#requestFrom = from
    this.#methodTo = methodTo
    this.#targetFrom = methodTo === to ? to : methodTo + 1
    this.#targetTo = this.#protocolFrom(this.#targetFrom, to)
  }

  /** Where ` HTTP/1.1` or ` HTTP/2` begins at the end of the request, or its end. */
  #protocolFrom(from: number, to: number): number {
    if (this.#isProtocol(to - 9, from)) return to - 9
    return this.#isProtocol(to - 7, from) ? to - 7 : to
  }

  #isProtocol(at: number, from: number): boolean {
    const bytes = this.#bytes
    return at >= from && bytes[at] === space && bytes[at + 1] === capitalH && bytes[at + 5] === slash
  }

  /** The first space from there on, or `to`. */
  #spaceFrom(from: number, to: number): number {
    const bytes = this.#bytes
    let at = from
    while (at < to && bytes[at] !== space) at++
    return at
  }

  /** The quote that ends a field: one with an even number of backslashes before it. -1 when there is none before `to`. */
  #closingQuote(from: number, to: number): number {
    const bytes = this.#bytes
    for (let at = from; at < to; at++) {
      if (bytes[at] === quote && (bytes[at - 1] !== backslash || !this.#isEscaped(from, at))) return at
    }
    return -1
  }

  #isEscaped(from: number, at: number): boolean {
    let before = at
    while (before > from && this.#bytes[before - 1] === backslash) before--
    return ((at - before) & 1) === 1
  }
}

function readField(bytes: Buffer, from: number, to: number): string {
  if (to - from === 1 && bytes[from] === dash) return ''
  return unescapeField(bytes.toString('utf8', from, to))
}

const isDigit = (byte: number): boolean => byte >= 48 && byte <= 57
