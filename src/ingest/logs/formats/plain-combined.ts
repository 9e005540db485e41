/**
 * Plain lines of the combined format: nine of ten lines of most logs. They are found by the marks between their fields, and no
 * text and no object is made of them (row 9 of docs/performance.md); what is anyhow unusual is left to combined.ts.
 */
import { dayMs } from '../../../domain/date-range.ts'
import { ByteMarks, markedLength, marksAt } from '../byte-marks.ts'
import { ByteMemory } from '../byte-memory.ts'
import type { KnownVerdicts } from '../known-verdicts.ts'
import { type PassOver, type PlainLine, type PlainLineReader, plainMethods } from '../log-line.ts'
import { clfTimeLength, createClfTimeReader } from '../log-time.ts'
import { compilePassOver, lineAt, lineWords, momentAt } from './known-lines-code.ts'

/** With `virtualHost`, one stands before the address. */
export const createPlainCombinedReader = (virtualHost = false): PlainLineReader =>
  new PlainCombinedReader(virtualHost)

const newline = 10
const space = 32
const quote = 34
const numberSign = 35
const dash = 45
const slash = 47
const questionMark = 63
const capitalH = 72
const openingBracket = 91
const closingBracket = 93
/** Four bytes as a number. */
const word = (text: string): number => Buffer.from(text, 'latin1').readInt32BE(0)
const methods = [word('GET '), word('HEAD'), word('POST')]

/** What stands right before the quote of the request, and the shortest request. */
const momentLength = '[10/Oct/2000:13:55:36 -0700] '.length
const requestLengthMin = 'GET / HTTP/2'.length

/** A line has six marks and its end, more where there are queries: with fewer left, new ones are found. */
const marksKept = 32

/** What a client address is made of; a name may stand there too, but not behind a virtual host. */
export const addressShape = /^[0-9a-f.:%]*[.:][0-9a-f.:%]*$/i

class PlainCombinedReader implements PlainLineReader, PlainLine {
  readonly line: PlainLine = this
  timeMs = 0
  method = 0
  status = 0
  addressFrom = 0
  addressTo = 0
  targetFrom = 0
  pathTo = 0
  targetTo = 0
  referrerFrom = 0
  referrerTo = 0
  agentFrom = 0
  agentTo = 0
  readonly #virtualHost: boolean
  readonly #areAddresses = new ByteMemory((bytes, from, to) =>
    addressShape.test(bytes.toString('latin1', from, to)),
  )
  readonly #readTime = createClfTimeReader()
  readonly #marks = new ByteMarks()
  readonly #places = this.#marks.places
  /** Whether lines are passed over: those of the day and zone of the line that was read last. */
  #isPassing = false
  readonly #moment = Buffer.from(this.#marks.memory.buffer, momentAt, clfTimeLength)
  #momentMs = Number.NaN
  /** The beginning of its day in its zone. */
  #momentMidnightMs = Number.NaN
  /** What was read of a line that is not passed over. */
  readonly #words = new Int32Array(this.#marks.memory.buffer, lineAt, Object.keys(lineWords).length)
  /** Whether they tell of a line that was not taken yet. */
  #isRead = false
  /** The marks found last: #count of them, of the bytes from #from to #to; those before #mark are dealt with. */
  #bytes: Buffer | null = null
  #from = 0
  #to = 0
  #count = 0
  #mark = 0
  /** Of the line that is being read: its first six quotes, and the first `?` or `#` between the first two, -1 when there is none. */
  readonly #quotes = new Int32Array(6)
  #query = -1

  constructor(virtualHost: boolean) {
    this.#virtualHost = virtualHost
  }

  read(bytes: Buffer, view: DataView, from: number, to: number): number {
    if (this.#isRead && bytes === this.#bytes && from === this.#from + this.#words[lineWords.line]!)
      return this.#takeLine()
    this.#goTo(bytes, from, to)
    return this.#readLine(bytes, view, from)
  }

  passing(known: KnownVerdicts): PassOver | null {
    if (this.#virtualHost) return null
    this.#isPassing = true
    const passOver = compilePassOver(this.#marks.memory, known.memory)
    return (bytes, from, to, latestMs) => {
      // The function compares the day of a line and not its time.
      if (!(this.#momentMs >= dayMs && this.#momentMs <= latestMs - dayMs)) return from
      for (let at = from; ; ) {
        this.#goTo(bytes, at, to)
        const marksTo = marksAt + this.#count * 4
        const next = this.#from + passOver(at - this.#from, marksAt + this.#mark * 4, marksTo)
        this.#mark = (this.#words[lineWords.lineMark]! - marksAt) / 4
        const isEndOfMarks = this.#mark + marksKept > this.#count && this.#to < to
        this.#isRead = this.#words[lineWords.line] !== -1
        if (next === at || !isEndOfMarks) return next
        at = next
      }
    }
  }

  /** What `passing` has read already. */
  #takeLine(): number {
    const words = this.#words
    const from = this.#from
    const kind = words[lineWords.kind]! >> 1
    this.#isRead = false
    this.#mark = (words[lineWords.nextMark]! - marksAt) / 4
    this.timeMs = this.#momentMidnightMs + words[lineWords.secondOfDay]! * 1000
    this.method = kind % plainMethods.length
    this.status = (kind - this.method) / plainMethods.length
    this.addressFrom = from + words[lineWords.line]!
    this.addressTo = from + words[lineWords.requestAt]! - momentLength - 1
    this.targetFrom = from + words[lineWords.target]!
    this.pathTo = from + words[lineWords.pathTo]!
    this.targetTo = from + words[lineWords.targetTo]!
    this.referrerFrom = from + words[lineWords.referrerAt]! + 1
    this.referrerTo = from + words[lineWords.referrerTo]!
    this.agentFrom = from + words[lineWords.agentAt]! + 1
    this.agentTo = from + words[lineWords.agentTo]!
    return from + words[lineWords.next]!
  }

  /** Makes the first mark of the line that begins at `from` the next one. */
  #goTo(bytes: Buffer, from: number, to: number): void {
    if (bytes === this.#bytes && from >= this.#from && from < this.#to) {
      const place = from - this.#from
      while (this.#mark > 0 && this.#places[this.#mark - 1]! >= place) this.#mark--
      while (this.#mark < this.#count && this.#places[this.#mark]! < place) this.#mark++
      if (this.#mark + marksKept <= this.#count || this.#to === to) return
    }
    this.#bytes = bytes
    this.#from = from
    this.#to = Math.min(to, from + markedLength)
    this.#count = this.#marks.find(bytes, from, this.#to)
    this.#isRead = false
    this.#mark = 0
  }

  /** Returns where the next line begins, or -1. */
  #readLine(bytes: Buffer, view: DataView, from: number): number {
    const next = this.#findQuotes(bytes)
    if (next === -1) return -1
    const quotes = this.#quotes
    const requestAt = quotes[0]!
    const requestTo = quotes[1]!
    const referrerAt = quotes[2]!
    const referrerTo = quotes[3]!
    const agentAt = quotes[4]!
    const clientTo = requestAt - momentLength - 1
    if (clientTo <= from || !this.#readMoment(bytes, view, clientTo)) return -1
    if (!this.#readClient(bytes, view, from, clientTo)) return -1
    if (!this.#splitRequest(bytes, view, requestAt + 1, requestTo)) return -1
    if (this.#readStatusAndSize(bytes, requestTo + 1) !== referrerAt) return -1
    if (agentAt !== referrerTo + 2 || bytes[referrerTo + 1] !== space) return -1
    this.referrerFrom = referrerAt + 1
    this.referrerTo = referrerTo
    this.agentFrom = agentAt + 1
    this.agentTo = quotes[5]!
    return next
  }

  /** Returns where the line ends behind its six quotes and whatever a server adds; -1 when something unusual stands between them. */
  #findQuotes(bytes: Buffer): number {
    const places = this.#places
    const quotes = this.#quotes
    const from = this.#from
    const count = this.#count
    let mark = this.#mark
    let query = -1
    for (let found = 0; found < 6; ) {
      if (mark >= count) return -1
      const at = from + places[mark++]!
      const byte = bytes[at]
      if (byte === quote) quotes[found++] = at
      else if (byte !== questionMark && byte !== numberSign) return -1
      else if (found === 1 && query === -1) query = at
    }
    this.#query = query
    while (mark < count) {
      const at = from + places[mark++]!
      if (bytes[at] !== newline) continue
      this.#mark = mark
      return at + 1
    }
    return -1
  }

  /** ` [10/Oct/2000:13:55:36 -0700] ` */
  #readMoment(bytes: Buffer, view: DataView, from: number): boolean {
    if (bytes[from] !== space || bytes[from + 1] !== openingBracket) return false
    const timeTo = from + 2 + clfTimeLength
    if (bytes[timeTo] !== closingBracket || bytes[timeTo + 1] !== space) return false
    this.timeMs = this.#readTime(view, from + 2)
    if (this.#isPassing && !Number.isNaN(this.timeMs)) this.#rememberMoment(bytes, from + 2)
    return true
  }

  #rememberMoment(bytes: Buffer, at: number): void {
    bytes.copy(this.#moment, 0, at, at + clfTimeLength)
    this.#momentMs = this.timeMs
    this.#momentMidnightMs = this.timeMs - millisecondOfDay(this.#moment.toString('latin1', 12, 20))
  }

  /** `192.0.2.7 - -`, `192.0.2.7 - some one` */
  #readClient(bytes: Buffer, view: DataView, from: number, to: number): boolean {
    if (bytes[from] === numberSign || bytes[from] === space) return false
    this.addressFrom = from
    this.addressTo = to
    if (!this.#virtualHost) return true
    this.addressFrom = spaceFrom(bytes, from, to) + 1
    const addressTo = spaceFrom(bytes, this.addressFrom, to)
    return this.addressFrom < addressTo && this.#areAddresses.of(bytes, view, this.addressFrom, addressTo)
  }

  /** `GET /path HTTP/1.1`, `GET /path HTTP/2` */
  #splitRequest(bytes: Buffer, view: DataView, from: number, to: number): boolean {
    if (to - from < requestLengthMin) return false
    this.method = methods.indexOf(view.getInt32(from))
    if (this.method === -1) return false
    this.targetFrom = this.method === 0 ? from + 4 : from + 5
    if (bytes[this.targetFrom - 1] !== space || bytes[this.targetFrom] !== slash) return false
    this.targetTo = isProtocol(bytes, to - 9) ? to - 9 : to - 7
    if (this.targetTo <= this.targetFrom || !isProtocol(bytes, this.targetTo)) return false
    this.pathTo = this.#query === -1 || this.#query > this.targetTo ? this.targetTo : this.#query
    return true
  }

  /** ` 200 2326 `, with `-` for the size; returns where it ends, or -1. */
  #readStatusAndSize(bytes: Buffer, from: number): number {
    const hundreds = bytes[from + 1]! - 48
    const tens = bytes[from + 2]! - 48
    const ones = bytes[from + 3]! - 48
    if (!(hundreds >= 1 && hundreds <= 9 && tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9)) return -1
    if (bytes[from] !== space || bytes[from + 4] !== space) return -1
    this.status = hundreds * 100 + tens * 10 + ones
    const sizeFrom = from + 5
    let at = sizeFrom
    while (bytes[at]! >= 48 && bytes[at]! <= 57) at++
    if (at === sizeFrom && bytes[at] === dash) at++
    return at > sizeFrom && bytes[at] === space ? at + 1 : -1
  }
}

const isProtocol = (bytes: Buffer, at: number): boolean =>
  bytes[at] === space && bytes[at + 1] === capitalH && bytes[at + 5] === slash

function spaceFrom(bytes: Buffer, from: number, to: number): number {
  let at = from
  while (at < to && bytes[at] !== space) at++
  return at
}

/** Of `13:55:36`. */
function millisecondOfDay(text: string): number {
  const [hours, minutes, seconds] = text.split(':').map(Number)
  return ((hours! * 60 + minutes!) * 60 + seconds!) * 1000
}
