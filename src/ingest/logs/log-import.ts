/** Imports one log: reads its lines, classifies each, and passes on batches that include the position reached. */
import { randomUUID } from 'node:crypto'
import type { ImportProgress } from '../../storage/event-store.ts'
import type { BatchWriter } from './batch-writer.ts'
import { LineClassifier, type LineParts } from './classify-lines.ts'
import { type LogContext, startOf } from './known-logs.ts'
import type { KnownPosition } from './known-position.ts'
import type { LineParser, LogFormat } from './log-line.ts'
import { fingerprintHash, type LineReader } from './reading/line-reader.ts'
import type { OpenedLog } from './reading/open-source.ts'
import { settlesWithin } from './reading/settles-within.ts'

export interface LogImportParts {
  readonly lines: LineParts
  readonly writer: BatchWriter
  readonly signal: AbortSignal
  /** Called when a batch that brings a log so far is on its way to the store. */
  readonly onWritten: (progress: ImportProgress) => void
  /** Called whenever lines have been read. */
  readonly onAdvance: (log: LogImport) => void
  /** Called for every malformed line, with its number in the file. */
  readonly onMalformed: (log: LogImport, lineNumber: number, text: string) => void
}

/**
 * A batch is worth its transaction when it has so many events, or says of so many bytes that they are dealt with. It
 * grows beyond that while the batch before is on its way: the busier the store, the more it gets at once.
 */
const batchEventsMin = 32_768
const batchBytesMin = 64 * 2 ** 20

/** What a live pipe has brought is recorded after this time, however little it is. */
const idleMs = 1000

export class LogImport {
  readonly name: string
  readonly opened: OpenedLog
  readonly format: LogFormat
  /** Whether it goes on behind an earlier import, whose end must be stored before anything of this one. */
  readonly isContinued: boolean
  readonly #parts: LogImportParts
  readonly #reader: LineReader
  readonly #parser: LineParser
  readonly #classifier: LineClassifier
  readonly #progressId = randomUUID()
  /** Lines dealt with since the beginning of the log, by this import and those before. */
  #lines: number
  #notLines: number
  /** Where the log stands with the last batch that was written. */
  #writtenOffset: number
  /** What says in the store that the log stands there; null at the beginning of a new log. */
  #standsAt: ImportProgress | null
  readonly #alike: readonly ImportProgress[]
  #lastWritten: Promise<void> = Promise.resolve()
  #isWriting = false
  #allKnown: boolean

  constructor(
    parts: LogImportParts,
    name: string,
    { reader, opened, progress, allKnown, alike }: KnownPosition,
    format: LogFormat,
    context: LogContext | null,
  ) {
    this.name = name
    this.opened = opened
    this.format = format
    this.#parts = parts
    this.#reader = reader
    this.#parser = format.open(context?.parser ?? null)
    this.#classifier = new LineClassifier(parts.lines, this.#parser)
    this.#lines = progress?.lines ?? 0
    this.#notLines = context?.notLines ?? 0
    this.#writtenOffset = reader.offset
    this.#standsAt = progress
    this.#alike = alike
    this.#allKnown = allKnown
    this.isContinued = allKnown || progress !== null
    this.#classifier.addDuplicates(this.#lines)
  }

  /** Bytes of the log that were read; lines may end before. */
  get readOffset(): number {
    return this.#reader.offset + this.#reader.available
  }

  /** Lines dealt with so far, those of earlier imports included. */
  get lines(): number {
    return this.#lines
  }

  /** The bytes right before `readOffset`, by which a file that was overwritten is told from one that grew. */
  get lastBytes(): Buffer {
    return this.#reader.lastBytes
  }

  close(): Promise<void> {
    return this.opened.source.close()
  }

  /** Imports all that there is by now, unless the signal stops it; what was classified is then on its way to the store. */
  async importAvailable(): Promise<void> {
    if (this.#allKnown) await this.#countKnownLines()
    do {
      this.#reader.readAhead()
      while (this.#takeLines() === 'batch-full') await this.#writeBatch()
      if (!this.#isWriting && this.#isWorthWriting()) await this.#writeBatch()
      this.#parts.onAdvance(this)
    } while (!this.#parts.signal.aborted && (await this.#fill()))
    await this.#writeBatch()
  }

  /**
   * Deals with a last line that has no end, when the log is not going to grow under our eyes. It counts if it can be
   * read; if not it is malformed as it stands, but stays before the stored offset, so that a grown log completes it.
   */
  async finish(): Promise<void> {
    if (!this.#reader.showUnfinished() || !this.#reader.isRequest) return
    if (this.#classifier.add(this.#reader.decoded) !== 'malformed') {
      this.#reader.passOverUnfinished()
      this.#lines++
    } else {
      this.#parts.onMalformed(this, this.#lines + this.#notLines + 1, this.#reader.decoded)
    }
    await this.#writeBatch()
  }

  #takeLines(): 'batch-full' | 'needs-more' {
    const { eventsMax } = this.#parts.writer
    const reader = this.#reader
    while (this.#classifier.eventCount < eventsMax) {
      const found = reader.next()
      if (found === 'needs-more') return found
      if (found === 'too-long') this.#takeTooLong()
      else if (reader.isRequest) this.#takeLine(reader.decoded)
      else this.#takeOther(reader.decoded)
    }
    return 'batch-full'
  }

  #takeLine(text: string): void {
    this.#lines++
    if (this.#classifier.add(text) === 'malformed') {
      this.#parts.onMalformed(this, this.#lines + this.#notLines, text)
    }
  }

  #takeTooLong(): void {
    this.#lines++
    this.#classifier.addMalformed()
    this.#parts.onMalformed(this, this.#lines + this.#notLines, 'a line of more than 64 KiB')
  }

  /** A blank line, or one that begins with `#`. */
  #takeOther(text: string): void {
    this.#notLines++
    if (text !== '') this.#parser.directive(text)
  }

  async #fill(): Promise<boolean> {
    try {
      return this.opened.reopenable ? await this.#reader.fill() : await this.#fillFromPipe()
    } catch (error) {
      // What came before damaged data is as good as any.
      await this.#storeAll()
      throw error
    }
  }

  /** What was read before does not wait for a pipe that brings nothing, nor does the signal. */
  async #fillFromPipe(): Promise<boolean> {
    const { signal } = this.#parts
    const filled = this.#reader.fill()
    while (!(await settlesWithin(filled, idleMs, signal))) {
      if (signal.aborted) return false
      await this.#storeAll()
    }
    return filled
  }

  /** Nothing is stored of it: what is known further on says more. */
  async #countKnownLines(): Promise<void> {
    this.#allKnown = false
    let known = 0
    do {
      this.#reader.readAhead()
      for (let found = this.#reader.next(); found !== 'needs-more'; found = this.#reader.next()) {
        if (found === 'too-long' || this.#reader.isRequest) known++
        else this.#notLines++
      }
    } while (!this.#parts.signal.aborted && (await this.#fill()))
    if (this.#reader.showUnfinished() && this.#reader.isRequest) known++
    this.#reader.passOverUnfinished()
    this.#lines += known
    this.#classifier.addDuplicates(known)
    this.#writtenOffset = this.#reader.offset
  }

  #isWorthWriting(): boolean {
    const bytes = this.#reader.offset - this.#writtenOffset
    return bytes >= batchBytesMin || this.#classifier.eventCount >= batchEventsMin
  }

  /** Waits for the store, so that a refusal is heard of now and not with the next line. */
  async #storeAll(): Promise<void> {
    await this.#writeBatch()
    await this.#lastWritten
  }

  /** Waits until the batch before is stored; the batch itself is then on its way. */
  async #writeBatch(): Promise<void> {
    const { writer, onWritten } = this.#parts
    await this.#lastWritten
    await writer.makeRoom(this.#classifier.eventCount)
    const taken = this.#classifier.take()
    const hasMoved = this.#reader.offset !== this.#writtenOffset
    if (!hasMoved && taken.tally.lines === 0) return
    const progress = hasMoved ? this.#progress() : null
    const step = progress === null ? '' : this.#stepTo(progress)
    this.#writtenOffset = this.#reader.offset
    this.#standsAt = progress ?? this.#standsAt
    this.#isWriting = true
    this.#lastWritten = writer.append({ ...taken, progress, step })
    this.#lastWritten.then(
      () => {
        this.#isWriting = false
      },
      () => {},
    )
    if (progress !== null) onWritten(progress)
  }

  /**
   * Two imports of one log at the same moment would each take the step from where the log stands: this names it the same for
   * both, so that the store lets one of them take it. Another log with the same beginning stands on other knowledge.
   */
  #stepTo({ headLength, headHash }: ImportProgress): string {
    const from = this.#writtenOffset
    const beyond = this.#alike
      .filter(({ offset }) => offset > from)
      .map(({ id, offset }) => `${id} ${offset}`)
    const known = beyond.length === 0 ? '' : fingerprintHash(Buffer.from(beyond.sort().join()))
    return `import ${this.#standsAt?.id ?? `${headHash} ${headLength}`} ${from} ${known}`
  }

  #progress(): ImportProgress {
    const context: LogContext = {
      format: this.format.name,
      parser: this.#parser.context(),
      notLines: this.#notLines,
      start: startOf(this.#reader.head.subarray(0, this.#reader.offset)),
    }
    return {
      id: this.#progressId,
      ...this.#reader.fingerprint(),
      context: JSON.stringify(context),
      lines: this.#lines,
      updatedAt: this.#parts.lines.clock(),
    }
  }
}
