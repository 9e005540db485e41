/** Splits the bytes of a log into lines in constant memory, and fingerprints the bytes around its position. */
import { hash } from 'node:crypto'
import type { ByteSource } from './byte-source.ts'

/** Longer lines are no requests; they are passed over without being kept. */
export const lineLengthMax = 64 * 1024

/** How much of its beginning, and of what lies before a position, a log is known by. */
export const fingerprintLength = 64 * 1024

/** Bytes kept before newly read ones: what lies before an unfinished line, and that line. */
const keptLength = fingerprintLength + lineLengthMax
/** A read is done by another thread. Handing it over costs as much as a hundred lines, so it should bring thousands. */
const readLength = 1024 * 1024

const newline = 10
const carriageReturn = 13
const numberSign = 35
const byteOrderMark = [0xef, 0xbb, 0xbf]

/** What `next` found: nothing before more bytes are read, a line (which the reader then shows), or one that is too long. */
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

/** Shows the line found last; what it shows is overwritten by the next `fill`. */
export class LineReader {
  /** Where the line found last lies in #buffer, without its end. */
  #from = 0
  #to = 0
  readonly #source: ByteSource
  /** What lies from #low to #read is of the log; the next line begins at #next. */
  #buffer = Buffer.allocUnsafe(keptLength + readLength)
  #spare = Buffer.allocUnsafe(keptLength + readLength)
  #low = keptLength
  #next = keptLength
  #read = keptLength
  /** Where #buffer[0] lies in the log. */
  #base = -keptLength
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
    start.before.copy(this.#buffer, this.#low)
    this.#base = start.offset - keptLength
    this.#passOverRestOfLine()
  }

  /** Bytes of the log that are dealt with: the lines given, and what was passed over. */
  get offset(): number {
    return this.#base + this.#next
  }

  /** Bytes that are read and not yet given. */
  get available(): number {
    return this.#read - this.#next
  }

  /** Those bytes; they are overwritten by the next `fill`. */
  get ahead(): Buffer {
    return this.#buffer.subarray(this.#next, this.#read)
  }

  /** The bytes read last, at most fingerprintLength. */
  get lastBytes(): Buffer {
    return this.#buffer.subarray(Math.max(this.#low, this.#read - fingerprintLength), this.#read)
  }

  /** Whether `next` would give something. */
  get holdsLine(): boolean {
    return this.#newlineFrom(this.#next) !== -1
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
    // The next call of fill sees the failure. If there is none, the failure does not matter.
    this.#reading.catch(() => {})
  }

  next(): Found {
    const end = this.#newlineFrom(this.#next)
    if (end === -1) return this.#passOverTooLong()
    const from = this.#next
    this.#next = end + 1
    if (this.#passingOver) {
      this.#passingOver = false
      return this.next()
    }
    if (end - from > lineLengthMax) return 'too-long'
    this.#show(from, end)
    return 'line'
  }

  /** The line found last, as UTF-8. */
  get decoded(): string {
    return this.#buffer.toString('utf8', this.#from, this.#to)
  }

  /** Whether that is of a request: blank lines, and those that begin with `#`, are not. */
  get isRequest(): boolean {
    return this.#from < this.#to && this.#buffer[this.#from] !== numberSign
  }

  /**
   * At the end of the log: whether a line without end is left, which the reader then shows. It stays where it is until
   * `passOverUnfinished`.
   */
  showUnfinished(): boolean {
    if (this.available === 0 || this.#passingOver) return false
    this.#show(this.#next, this.#read)
    return true
  }

  /** What will still come of that line is passed over too. */
  passOverUnfinished(): void {
    this.#next = this.#read
    this.#passOverRestOfLine()
  }

  /** Goes forward to an offset without giving lines; false when the log ends before it. */
  async skipTo(offset: number): Promise<boolean> {
    while (this.#base + this.#read < offset) {
      this.#next = this.#read
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
    return fingerprintHash(this.#buffer.subarray(this.#next - length, this.#next))
  }

  #headHash(length: number): string {
    if (length < fingerprintLength) return fingerprintHash(this.#head.subarray(0, length))
    this.#wholeHeadHash ??= fingerprintHash(this.#head)
    return this.#wholeHeadHash
  }

  /** Puts what must be kept before the bytes that were read into the spare buffer, and works there from now on. */
  #moveToSpare(read: number): void {
    const from = Math.max(this.#low, this.#next - fingerprintLength)
    const kept = this.#read - from
    this.#buffer.copy(this.#spare, keptLength - kept, from, this.#read)
    const shift = keptLength - this.#read
    ;[this.#buffer, this.#spare] = [this.#spare, this.#buffer]
    this.#base -= shift
    this.#next += shift
    this.#low = keptLength - kept
    this.#read = keptLength + read
    this.#growHead()
    if (this.offset === 0 && byteOrderMark.every((byte, n) => this.ahead[n] === byte)) this.#next += 3
  }

  /** -1 when there is none in what was read. */
  #newlineFrom(at: number): number {
    const end = this.#buffer.indexOf(newline, at)
    return end < this.#read ? end : -1
  }

  #growHead(): void {
    const known = this.#head.length
    const readFrom = this.#base + keptLength
    if (known === fingerprintLength || readFrom > known) return
    const missing = this.#buffer.subarray(keptLength + known - readFrom, this.#read)
    this.#head = Buffer.concat([this.#head, missing.subarray(0, fingerprintLength - known)])
  }

  /** Without an end of line in sight: a line that may still become one is waited for, a longer one is given up. */
  #passOverTooLong(): Found {
    const tooLong = this.#read - this.#next > lineLengthMax
    if (!tooLong && !this.#passingOver) return 'needs-more'
    this.#next = this.#read
    const reported = this.#passingOver
    this.#passingOver = true
    return reported ? 'needs-more' : 'too-long'
  }

  /** A position behind an unfinished line that was dealt with: what has come since completes that line. */
  #passOverRestOfLine(): void {
    this.#passingOver = this.#next > this.#low && this.#buffer[this.#next - 1] !== newline
  }

  #show(from: number, to: number): void {
    this.#from = from
    this.#to = to > from && this.#buffer[to - 1] === carriageReturn ? to - 1 : to
  }
}

export const fingerprintHash = (bytes: Buffer): string => hash('sha256', bytes, 'hex')
