/** Reads the entries of a delivery and classifies each as a line of a log. */
import { setImmediate } from 'node:timers/promises'
import { AppError } from '../../domain/errors.ts'
import type { DrainKind, NewEvent } from '../../domain/event.ts'
import type { DailyLoad } from '../../storage/event-store.ts'
import { parseJsonObject } from '../logs/formats/json-object.ts'
import type { Tally } from '../logs/import-report.ts'
import { LineClassifier, type LineParts } from '../logs/line-classifier.ts'
import { lineLengthMax } from '../logs/reading/line-reader.ts'
import { decompressed, drainEntriesMax, tooManyEntries } from './drain-body.ts'
import { type DrainFormat, drainFormats, requestNameOf } from './drain-formats.ts'
import type { MemoryClaim } from './memory-budget.ts'
import { type Splitter, splitArray, splitEntries, type Take } from './split-entries.ts'

/** What the entries of a delivery came to. */
export interface ReadDrain {
  readonly events: readonly NewEvent[]
  /** The name of the request behind each event; null where its entry has none. */
  readonly names: readonly (string | null)[]
  readonly tally: Tally
  readonly load: readonly DailyLoad[]
  /** Entries of no request, which the tally has among the malformed ones. */
  readonly others: number
}

export type DrainParts = Omit<LineParts, 'source'>

/** What an event holds in memory before it is stored, roughly. */
const eventBytes = 300
/** Of a record of Amazon Data Firehose: 1,000 KiB in base64, and what stands around it. */
const recordLengthMax = 1_366_000
/** Other requests are answered between two pieces: of entries that say nothing one holds thousands, each of which is tried in every format. */
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
  const entries = new DrainEntries({ ...parts, source: kind }, format, siteDomain)
  const splitter = format.inFirehose
    ? splitArray(recordLengthMax, record => entries.addRecord(record))
    : splitEntries(lineLengthMax, entries.add)
  let claimed = 0
  const feed = async (target: Splitter, bytes: Buffer): Promise<void> => {
    for (let at = 0; at < bytes.length; at += pieceLength) {
      target.push(bytes.subarray(at, at + pieceLength))
      memory.grow((entries.eventCount - claimed) * eventBytes)
      claimed = entries.eventCount
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
  readonly #format: DrainFormat
  readonly #directive: (line: string) => void
  readonly #names: (string | null)[] = []
  #waitingRecords: Buffer[] = []
  #entries = 0
  #others = 0
  #records = 0

  constructor(parts: LineParts, format: DrainFormat, siteDomain: string) {
    const parser = format.open(siteDomain)
    this.#classifier = new LineClassifier(parts, parser)
    this.#directive = line => parser.directive(line)
    this.#format = format
  }

  get eventCount(): number {
    return this.#classifier.eventCount
  }

  /** Records of Amazon Data Firehose. */
  get records(): number {
    return this.#records
  }

  add: Take = entry => {
    this.#countEntry()
    if (entry === null) {
      this.#classifier.countMalformed()
      return
    }
    const text = entry.toString('utf8').trim()
    if (text.startsWith('#')) {
      this.#directive(text)
      return
    }
    const before = this.#classifier.eventCount
    if (!this.#classifier.take(text)) {
      const object = parseJsonObject(text)
      if (object !== null && this.#format.isOther(object)) this.#others++
    } else if (this.#classifier.eventCount > before) {
      const { requestNames } = this.#format
      this.#names.push(requestNames.length === 0 ? null : requestNameOf(this.#format, parseJsonObject(text)))
    }
  }

  /** `{"data": "…"}`: base64 of one or more entries. An empty one is allowed. */
  addRecord(record: Buffer | null): void {
    this.#countEntry()
    this.#records++
    const data = record && parseJsonObject(record.toString('utf8').trim())?.data
    if (typeof data === 'string') this.#waitingRecords.push(Buffer.from(data, 'base64'))
    else this.#classifier.countMalformed()
  }

  /** What the records since the last call hold. */
  takeRecords(): Buffer[] {
    const records = this.#waitingRecords
    this.#waitingRecords = []
    return records
  }

  take(): ReadDrain {
    return { ...this.#classifier.takeResult(), names: this.#names, others: this.#others }
  }

  #countEntry(): void {
    if (++this.#entries > drainEntriesMax) throw tooManyEntries()
  }
}
