/** Parses the entries of a delivery and classifies each like a line of a log. */
import { setImmediate } from 'node:timers/promises'
import { AppError } from '../../domain/errors.ts'
import type { DrainKind, NewEvent } from '../../domain/event.ts'
import type { DailyLoad } from '../../storage/event-store.ts'
import { LineClassifier, type LineParts } from '../logs/classify-lines.ts'
import { parseJsonObject } from '../logs/formats/json-object.ts'
import type { Tally } from '../logs/import-report.ts'
import type { LineParser, LogLine } from '../logs/log-line.ts'
import { lineLengthMax } from '../logs/reading/line-reader.ts'
import { decompressed, drainEntriesMax, tooManyEntries } from './drain-body.ts'
import { type DrainFormat, drainFormats } from './drain-formats.ts'
import type { MemoryClaim } from './memory-budget.ts'
import { type Splitter, splitArray, splitEntries, type Take } from './split-entries.ts'

/** What the entries of a delivery came to. */
export interface ReadDrain {
  readonly events: readonly NewEvent[]
  /** The name of the request behind each event; null where its entry has none. */
  readonly names: readonly (string | null)[]
  readonly tally: Tally
  /** Of the requests that are no events: which events are recorded is not known yet. */
  readonly load: readonly DailyLoad[]
  /** Entries of no request, which the tally has among the malformed ones. */
  readonly others: number
}

export type DrainParts = Pick<LineParts, 'detector' | 'countryOf' | 'clock'>

/** What an event or the name of a request holds in memory, roughly. */
const heldBytes = 300
const requestNameLengthMax = 200
/** Of a record of Amazon Data Firehose: 1,000 KiB in base64, and what stands around it. */
const recordLengthMax = 1_366_000
/** Other requests are answered between two pieces. One can hold thousands of entries that say nothing, and each is tried in every format. */
const pieceLength = 16 * 1024

/**
 * Throws INVALID_PARAMETER for damaged compressed data, INVALID_JSON for what cannot be of Firehose, PAYLOAD_TOO_LARGE, OVERLOADED;
 * never for what an entry says.
 */
export async function readDrain(
  parts: DrainParts,
  kind: DrainKind,
  siteDomain: string,
  body: Buffer,
  memory: MemoryClaim,
): Promise<ReadDrain> {
  const format = drainFormats[kind]
  const entries = new DrainEntries({ ...parts, source: kind, siteDomain }, format)
  const splitter = format.inFirehose
    ? splitArray(recordLengthMax, record => entries.addRecord(record))
    : splitEntries(lineLengthMax, entries.add)
  let claimed = 0
  const feed = async (target: Splitter, bytes: Buffer): Promise<void> => {
    for (let at = 0; at < bytes.length; at += pieceLength) {
      target.push(bytes.subarray(at, at + pieceLength))
      memory.grow((entries.held - claimed) * heldBytes)
      claimed = entries.held
      await setImmediate()
      for (const record of entries.takeRecords()) await feedRecord(record)
    }
  }
  const feedRecord = async (record: Buffer): Promise<void> => {
    const lines = splitEntries(lineLengthMax, entries.add)
    await feed(lines, record)
    lines.end()
  }
  for await (const chunk of decompressed(body)) await feed(splitter, chunk)
  splitter.end()
  for (const record of entries.takeRecords()) await feedRecord(record)
  if (format.inFirehose && entries.records === 0) {
    throw new AppError('INVALID_JSON', 'The body is none of Amazon Data Firehose: it has no "records".')
  }
  return entries.take()
}

class DrainEntries {
  readonly #classifier: LineClassifier
  readonly #parser: LineParser
  readonly #format: DrainFormat
  readonly #names: (string | null)[] = []
  /** Names of the requests that are no events, where one can have several entries. */
  readonly #loaded = new Set<string>()
  #waitingRecords: Buffer[] = []
  #entries = 0
  #others = 0
  #records = 0

  constructor(parts: Omit<LineParts, 'addsLoad'>, format: DrainFormat) {
    this.#format = format
    this.#parser = format.open()
    const addsLoad: LineParts['addsLoad'] = (line, ingested) => 'ignored' in ingested && this.#isFirst(line)
    this.#classifier = new LineClassifier({ ...parts, addsLoad }, this.#parser)
  }

  get eventCount(): number {
    return this.#classifier.eventCount
  }

  /** Events and names of requests that are kept in memory. */
  get held(): number {
    return this.eventCount + this.#loaded.size
  }

  /** Records of Amazon Data Firehose. */
  get records(): number {
    return this.#records
  }

  add: Take = entry => {
    this.#countEntry()
    if (entry === null) {
      this.#classifier.addMalformed()
      return
    }
    const text = entry.toString('utf8').trim()
    if (text.startsWith('#')) {
      this.#parser.directive(text)
      return
    }
    const became = this.#classifier.add(text)
    if (became === 'event') this.#names.push(requestName(this.#parser.line))
    if (became === 'malformed') {
      const object = parseJsonObject(text)
      if (object !== null && this.#format.isOther(object)) this.#others++
    }
  }

  /** `{"data": "…"}`: base64 of one or more entries. An empty one is allowed. */
  addRecord(record: Buffer | null): void {
    this.#countEntry()
    this.#records++
    const data = record && parseJsonObject(record.toString('utf8').trim())?.data
    if (typeof data === 'string') this.#waitingRecords.push(Buffer.from(data, 'base64'))
    else this.#classifier.addMalformed()
  }

  /** What the records since the last call hold. */
  takeRecords(): Buffer[] {
    const records = this.#waitingRecords
    this.#waitingRecords = []
    return records
  }

  take(): ReadDrain {
    return { ...this.#classifier.take(), names: this.#names, others: this.#others }
  }

  /** Whether no other entry of this delivery was of the same request. */
  #isFirst(line: LogLine): boolean {
    if (!this.#format.severalEntries) return true
    const name = requestName(line)
    if (name === null) return true
    const { size } = this.#loaded
    return this.#loaded.add(name).size > size
  }

  #countEntry(): void {
    if (++this.#entries > drainEntriesMax) throw tooManyEntries()
  }
}

/** By which a request counts once, however often and in whatever delivery it comes. */
const requestName = ({ requestId }: LogLine): string | null =>
  requestId === '' ? null : requestId.slice(0, requestNameLengthMax)
