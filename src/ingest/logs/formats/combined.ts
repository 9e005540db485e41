/**
 * The formats that Apache and nginx write by default: combined, common, and combined with a leading virtual host.
 * Apache: https://httpd.apache.org/docs/2.4/mod/mod_log_config.html; nginx: ngx_http_log_module, log_format combined.
 *
 * They are most logs there are, and row 9 of docs/performance.md needs them fast: bytes are looked at where they lie, and
 * a field becomes a text only when someone asks for it, which for most lines is the target alone.
 */
import { unescapeField } from '../escapes.ts'
import { type LineParser, type LogFormat, type LogLine, noDirectives, type RawLine } from '../log-line.ts'
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
  return { name, sample, open: siteDomain => createClfParser(siteDomain, virtualHost, agent) }
}

function createClfParser(siteDomain: string, virtualHost: boolean, agent: boolean): LineParser {
  const line = new ClfLine(siteDomain)
  return { line, parse: raw => line.read(raw, virtualHost, agent), ...noDirectives }
}

const space = 32
const quote = 34
const slash = 47
const capitalH = 72
const dash = 45
const openingBracket = 91
const backslash = 92
const closingBracket = 93

/** Where the fields of a line lie in what was read of the log. */
class ClfLine implements LogLine {
  readonly siteDomain: string
  readonly country = ''
  timeMs = Number.NaN
  status: number | null = null
  readonly #readTime = createClfTimeReader()
  #text = ''
  #bytes: Uint8Array = new Uint8Array()
  #isAscii = true
  #to = 0
  #addressFrom = 0
  #addressTo = 0
  #requestFrom = 0
  #methodTo = 0
  #targetFrom = 0
  #targetTo = 0
  #referrerFrom = 0
  #referrerTo = 0
  #agentFrom = 0
  #agentTo = 0
  /** Asked for more than once, and a text that is asked again has its hash already. */
  #referrer: string | null = null
  #userAgent: string | null = null

  constructor(siteDomain: string) {
    this.siteDomain = siteDomain
  }

  get address(): string {
    return this.#field(this.#addressFrom, this.#addressTo)
  }

  /** Nearly always GET, which needs no text of its own. */
  get method(): string {
    const [from, to] = [this.#requestFrom, this.#methodTo]
    return to - from === 3 && isGet(this.#bytes, from) ? 'GET' : this.#text.slice(from, to)
  }

  get url(): string {
    return this.#field(this.#targetFrom, this.#targetTo)
  }

  get referrer(): string {
    this.#referrer ??= this.#field(this.#referrerFrom, this.#referrerTo)
    return this.#referrer
  }

  get userAgent(): string {
    this.#userAgent ??= this.#field(this.#agentFrom, this.#agentTo)
    return this.#userAgent
  }

  /** False when the line is malformed. */
  read(raw: RawLine, virtualHost: boolean, agent: boolean): boolean {
    this.#text = raw.text
    this.#bytes = raw.bytes
    this.#isAscii = raw.isAscii
    this.#to = raw.to
    this.#referrer = null
    this.#userAgent = null
    const addressTo = this.#readAddress(raw.from, virtualHost)
    if (addressTo === -1) return false
    const requestFrom = this.#readMoment(addressTo)
    if (requestFrom === -1) return false
    const requestTo = this.#closingQuote(requestFrom)
    if (requestTo === -1) return false
    const sizeTo = this.#readStatusAndSize(requestTo + 1)
    if (sizeTo === -1) return false
    if (agent ? !this.#readReferrerAndAgent(sizeTo) : sizeTo !== raw.to) return false
    this.#splitRequest(requestFrom, requestTo)
    return true
  }

  /** Returns where the client address ends, or -1. A virtual host is only one when an address follows it. */
  #readAddress(from: number, virtualHost: boolean): number {
    const hostTo = this.#spaceFrom(from)
    if (hostTo === from || hostTo === this.#to) return -1
    this.#addressFrom = virtualHost ? hostTo + 1 : from
    this.#addressTo = virtualHost ? this.#spaceFrom(hostTo + 1) : hostTo
    if (virtualHost && !addressShape.test(this.address)) return -1
    return this.#addressTo
  }

  /** Reads ` - - [time] "`; returns where the request begins, or -1. A user name may hold spaces and brackets itself. */
  #readMoment(from: number): number {
    const bytes = this.#bytes
    const last = this.#to - clfTimeLength - 3
    for (let at = from + 1; at < last; at++) {
      if (bytes[at] !== openingBracket) continue
      const end = at + 1 + clfTimeLength
      if (bytes[end] !== closingBracket || bytes[end + 1] !== space || bytes[end + 2] !== quote) continue
      const timeMs = this.#readTime(bytes, at + 1)
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
  #readReferrerAndAgent(at: number): boolean {
    const bytes = this.#bytes
    if (bytes[at] !== space || bytes[at + 1] !== quote) return false
    this.#referrerFrom = at + 2
    this.#referrerTo = this.#closingQuote(at + 2)
    if (this.#referrerTo === -1) return false
    this.#agentFrom = this.#referrerTo + 3
    if (bytes[this.#agentFrom - 2] !== space || bytes[this.#agentFrom - 1] !== quote) return false
    this.#agentTo = this.#closingQuote(this.#agentFrom)
    return this.#agentTo !== -1
  }

  /**
   * `GET /path HTTP/1.1` into method and target. Without a protocol (HTTP/0.9) the target goes to the end; a request that
   * is no HTTP at all, such as a TLS greeting or `-`, is a method that nobody counts. Targets may hold stray spaces.
   */
  #splitRequest(from: number, to: number): void {
    const methodTo = Math.min(this.#spaceFrom(from), to)
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

  /** The first space from there on, or the end of the line. */
  #spaceFrom(from: number): number {
    const bytes = this.#bytes
    const to = this.#to
    let at = from
    while (at < to && bytes[at] !== space) at++
    return at
  }

  /** The quote that ends a field: one with an even number of backslashes before it. -1 when there is none. */
  #closingQuote(from: number): number {
    const bytes = this.#bytes
    for (let at = from; ; at++) {
      at = this.#text.indexOf('"', at)
      if (at === -1 || at >= this.#to) return -1
      let before = at
      while (before > from && bytes[before - 1] === backslash) before--
      if (((at - before) & 1) === 0) return at
    }
  }

  #field(from: number, to: number): string {
    if (to - from === 1 && this.#bytes[from] === dash) return ''
    const field = this.#text.slice(from, to)
    const isPlain = (this.#isAscii || !notAscii.test(field)) && !field.includes('\\')
    return isPlain ? field : unescapeField(this.#isAscii ? field : Buffer.from(field, 'latin1').toString())
  }
}

const notAscii = /[\x80-\xff]/
const addressShape = /^[0-9a-f.:%]*[.:][0-9a-f.:%]*$/i

const isGet = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === 71 && bytes[at + 1] === 69 && bytes[at + 2] === 84

const isDigit = (byte: number): boolean => byte >= 48 && byte <= 57
