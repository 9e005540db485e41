/**
 * Plain lines of the combined format: nine of ten lines of most logs. They are read in one pass over their bytes, which makes no
 * text and no object (row 9 of docs/performance.md); what is anyhow unusual is left to combined.ts.
 */
import type { PlainLine, PlainLineReader } from '../log-line.ts'
import { clfTimeLength, createClfTimeReader } from '../log-time.ts'
import { lineLengthMax } from '../reading/line-reader.ts'

export const createPlainCombinedReader = (): PlainLineReader => new PlainCombinedReader()

const newline = 10
const space = 32
const quote = 34
const numberSign = 35
const dash = 45
const slash = 47
const capitalH = 72
const closingBracket = 93
/** Four bytes as a number. */
const word = (text: string): number => Buffer.from(text, 'latin1').readInt32BE(0)
const noUser = word(' - -')
const opening = Buffer.from(' [').readInt16BE(0)
const methods = [word('GET '), word('HEAD'), word('POST')]

/** By byte: which fields it ends. What is no printable ASCII, and the backslash, ends all, and the line is not plain. */
const endsQuoted = 1
const endsToken = 2
const endsPath = 4
const ends = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < space || byte === quote || byte === 92 || byte > 126) return endsQuoted | endsToken | endsPath
  if (byte === space) return endsToken | endsPath
  return byte === numberSign || byte === 63 ? endsPath : 0
})

/** Bytes that every such line has behind its address. */
const shortest = ' - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/2" 200 - "-" ""\n'.length

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
  readonly #readTime = createClfTimeReader()

  read(bytes: Buffer, view: DataView, from: number, to: number): number {
    let at = from
    while ((ends[bytes[at]!]! & endsToken) === 0) at++
    if (at === from || bytes[from] === numberSign || to - at < shortest) return -1
    this.addressFrom = from
    this.addressTo = at

    if (view.getInt32(at) !== noUser || view.getInt16(at + 4) !== opening) return -1
    this.timeMs = this.#readTime(view, at + 6)
    at += 6 + clfTimeLength
    if (bytes[at] !== closingBracket || bytes[at + 1] !== space || bytes[at + 2] !== quote) return -1

    at = this.#readRequest(bytes, view, at + 3)
    if (at === -1) return -1
    at = this.#readStatusAndSize(bytes, at)
    if (at === -1 || bytes[at] !== space || bytes[at + 1] !== quote) return -1

    at += 2
    this.referrerFrom = at
    while ((ends[bytes[at]!]! & endsQuoted) === 0) at++
    this.referrerTo = at
    if (bytes[at] !== quote || bytes[at + 1] !== space || bytes[at + 2] !== quote) return -1
    at += 3
    this.agentFrom = at
    while ((ends[bytes[at]!]! & endsQuoted) === 0) at++
    this.agentTo = at
    if (bytes[at] !== quote) return -1

    // Whatever a server adds behind is passed over.
    while (bytes[at] !== newline) at++
    return at - from > lineLengthMax ? -1 : at + 1
  }

  /** `GET /path HTTP/1.1" `; returns where the status begins, or -1. */
  #readRequest(bytes: Buffer, view: DataView, from: number): number {
    this.method = methods.indexOf(view.getInt32(from))
    if (this.method === -1) return -1
    let at = this.method === 0 ? from + 4 : from + 5
    if (bytes[at - 1] !== space || bytes[at] !== slash) return -1
    this.targetFrom = at
    while ((ends[bytes[at]!]! & endsPath) === 0) at++
    this.pathTo = at
    while ((ends[bytes[at]!]! & endsToken) === 0) at++
    this.targetTo = at
    // ` HTTP/2` or ` HTTP/1.1`
    if (bytes[at] !== space || bytes[at + 1] !== capitalH) return -1
    at++
    while ((ends[bytes[at]!]! & endsToken) === 0) at++
    const length = at - this.targetTo
    if ((length !== 7 && length !== 9) || bytes[this.targetTo + 5] !== slash) return -1
    return bytes[at] === quote && bytes[at + 1] === space ? at + 2 : -1
  }

  /** `200 2326`, with `-` for the size; returns where it ends, or -1. */
  #readStatusAndSize(bytes: Buffer, from: number): number {
    const hundreds = bytes[from]! - 48
    const tens = bytes[from + 1]! - 48
    const ones = bytes[from + 2]! - 48
    if (!(hundreds >= 1 && hundreds <= 9 && tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9)) return -1
    if (bytes[from + 3] !== space) return -1
    this.status = hundreds * 100 + tens * 10 + ones
    const sizeFrom = from + 4
    let at = sizeFrom
    while (bytes[at]! >= 48 && bytes[at]! <= 57) at++
    if (at === sizeFrom && bytes[at] === dash) at++
    return at === sizeFrom ? -1 : at
  }
}
