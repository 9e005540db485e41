/** Cuts the bytes of a log into lines in flat memory, and knows what lies around the position it has reached. */
import { isAscii } from 'node:buffer'
import { hash } from 'node:crypto'
import type { ByteSource } from './byte-source.ts'

/** Longer lines are no requests; they are passed over without being kept. */
export const lineLengthMax = 64 * 1024

/** How much of its beginning, and of what lies before a position, a log is known by. */
export const fingerprintLength = 64 * 1024

/** Bytes kept before newly read ones: what lies before an unfinished line, and that line. */
const keptLength = fingerprintLength + lineLengthMax
const readLength = 512 * 1024

const newline = 10
const carriageReturn = 13
const byteOrderMark = '\ufeff'
const notAscii = /[\x80-\xff]/

/** What `next` found: nothing before more bytes are read, a line (then in `line`), or one that is too long. */
export type Found = 'needs-more' | 'line' | 'too-long'

/** Where a reader begins, when that is not the beginning. */
export interface ReaderStart {
  readonly offset: number
  /** The first bytes of the log, at most fingerprintLength; all of them up to `offset` when it is nearer. */
  readonly head: Buffer
  /** The bytes right before `offset`, at most fingerprintLength. */
  readonly before: Buffer
}

/** How a position in a log is known again. */
export interface Fingerprint {
  readonly offset: number
  readonly headLength: number
  readonly headHash: string
  readonly windowLength: number
  readonly windowHash: string
}

export class LineReader {
  /** The line found last, without its end. */
  line = ''
  readonly #source: ByteSource
  /** The bytes from #low to #end are bytes of the log; the next line begins at #next. */
  #bytes = Buffer.allocUnsafe(keptLength + readLength)
  #spare = Buffer.allocUnsafe(keptLength + readLength)
  #low = keptLength
  #next = keptLength
  #end = keptLength
  /** Where #bytes[0] lies in the log. */
  #base = -keptLength
  /** The bytes from #textStart to #end, one character a byte, so that searching and cutting need no decoding. */
  #text = ''
  #textStart = keptLength
  #textIsAscii = true
  /** Inside a line whose beginning is dealt with already. */
  #passingOver = false
  #reading: Promise<number> | null = null
  #head: Buffer = Buffer.alloc(0)
  #wholeHeadHash: string | null = null

  constructor(source: ByteSource, start?: ReaderStart) {
    this.#source = source
    if (start === undefined) return
    this.#head = start.head
    this.#low = keptLength - start.before.length
    start.before.copy(this.#bytes, this.#low)
    this.#base = start.offset - keptLength
    this.#passOverRestOfLine()
  }

  /** Bytes of the log that are dealt with: the lines given, and what was passed over. */
  get offset(): number {
    return this.#base + this.#next
  }

  /** Bytes that are read and not yet given. */
  get available(): number {
    return this.#end - this.#next
  }

  /** Those bytes; they are overwritten by the next `fill`. */
  get ahead(): Buffer {
    return this.#bytes.subarray(this.#next, this.#end)
  }

  /** The bytes read last, at most fingerprintLength. */
  get lastBytes(): Buffer {
    return this.#bytes.subarray(Math.max(this.#low, this.#end - fingerprintLength), this.#end)
  }

  /** Whether `next` would give something. */
  get holdsLine(): boolean {
    return this.#text.includes('\n', this.#next - this.#textStart)
  }

  /** The first bytes of the log, as far as they were read, at most fingerprintLength. */
  get head(): Buffer {
    return this.#head
  }

  /** Reads on; false when the source has nothing more for now. Call it when `next` needs more. */
  async fill(): Promise<boolean> {
    const reading = this.#reading ?? this.#source.read(this.#spare, keptLength)
    this.#reading = null
    const read = await reading
    if (read > 0) this.#moveToSpare(read)
    return read > 0
  }

  /** Begins to read what the next `fill` will give, while the caller is busy with what is there. */
  readAhead(): void {
    if (this.#reading !== null) return
    this.#reading = this.#source.read(this.#spare, keptLength)
    // Whoever fills next sees the failure; if nobody does, it is of no interest.
    this.#reading.catch(() => {})
  }

  next(): Found {
    const at = this.#next - this.#textStart
    const end = this.#text.indexOf('\n', at)
    if (end === -1) return this.#passOverTooLong()
    this.#next = this.#textStart + end + 1
    if (this.#passingOver) {
      this.#passingOver = false
      return this.next()
    }
    if (end - at > lineLengthMax) return 'too-long'
    this.line = this.#lineAt(at, end)
    return 'line'
  }

  /** At the end of the log: the line that has no end, or null. It stays where it is until `passOverUnfinished`. */
  unfinished(): string | null {
    if (this.available === 0 || this.#passingOver) return null
    return this.#lineAt(this.#next - this.#textStart, this.#text.length)
  }

  /** What will still come of that line is passed over too. */
  passOverUnfinished(): void {
    this.#next = this.#end
    this.#passOverRestOfLine()
  }

  /** Goes forward to an offset without giving lines; false when the log ends before it. */
  async skipTo(offset: number): Promise<boolean> {
    while (this.#base + this.#end < offset) {
      this.#next = this.#end
      this.readAhead()
      if (!(await this.fill())) return false
    }
    this.#next = offset - this.#base
    this.#passOverRestOfLine()
    return true
  }

  fingerprint(): Fingerprint {
    const { offset } = this
    const length = Math.min(offset, fingerprintLength)
    return {
      offset,
      headLength: length,
      headHash: this.#headHash(length),
      windowLength: length,
      windowHash: this.windowHash(length),
    }
  }

  /** Hash of the bytes right before the next line; at most fingerprintLength of them. */
  windowHash(length: number): string {
    return fingerprintHash(this.#bytes.subarray(this.#next - length, this.#next))
  }

  #headHash(length: number): string {
    if (length < fingerprintLength) return fingerprintHash(this.#head.subarray(0, length))
    this.#wholeHeadHash ??= fingerprintHash(this.#head)
    return this.#wholeHeadHash
  }

  /** Puts what must be kept before the bytes that were read into the spare buffer, and works there from now on. */
  #moveToSpare(read: number): void {
    const from = Math.max(this.#low, this.#next - fingerprintLength)
    const kept = this.#end - from
    this.#bytes.copy(this.#spare, keptLength - kept, from, this.#end)
    const shift = keptLength - this.#end
    ;[this.#bytes, this.#spare] = [this.#spare, this.#bytes]
    this.#base -= shift
    this.#next += shift
    this.#low = keptLength - kept
    this.#end = keptLength + read
    this.#growHead()
    this.#text = this.#bytes.toString('latin1', this.#next, this.#end)
    this.#textStart = this.#next
    this.#textIsAscii = isAscii(this.#bytes.subarray(this.#next, this.#end))
  }

  #growHead(): void {
    const known = this.#head.length
    const readFrom = this.#base + keptLength
    if (known === fingerprintLength || readFrom > known) return
    const missing = this.#bytes.subarray(keptLength + known - readFrom, this.#end)
    this.#head = Buffer.concat([this.#head, missing.subarray(0, fingerprintLength - known)])
  }

  /** Without an end of line in sight: a line that may still become one is waited for, a longer one is given up. */
  #passOverTooLong(): Found {
    const tooLong = this.available > lineLengthMax
    if (!tooLong && !this.#passingOver) return 'needs-more'
    this.#next = this.#end
    const reported = this.#passingOver
    this.#passingOver = true
    return reported ? 'needs-more' : 'too-long'
  }

  /** A position behind an unfinished line that was dealt with: what has come since completes that line. */
  #passOverRestOfLine(): void {
    this.#passingOver = this.#next > this.#low && this.#bytes[this.#next - 1] !== newline
  }

  /** From and to are positions in #text. */
  #lineAt(from: number, to: number): string {
    const end = to > from && this.#text.charCodeAt(to - 1) === carriageReturn ? to - 1 : to
    const line = this.#text.slice(from, end)
    if (this.#textIsAscii || !notAscii.test(line)) return line
    const text = this.#bytes.toString('utf8', this.#textStart + from, this.#textStart + end)
    return text.startsWith(byteOrderMark) ? text.slice(1) : text
  }
}

export const fingerprintHash = (bytes: Buffer): string => hash('sha256', bytes, 'hex')
