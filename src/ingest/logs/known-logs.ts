/** Finds the logs that were imported into a site before, by their first bytes. There may be hundreds of thousands. */
import { crc32 } from 'node:zlib'
import type { ImportProgress } from '../../storage/event-store.ts'
import { fingerprintHash } from './reading/line-reader.ts'

/** What ImportProgress.context holds, as JSON. */
export interface LogContext {
  /** Name of the format. */
  readonly format: string
  /** LineParser.context. */
  readonly parser: string | null
  /** Blank and `#` lines so far, so that lines are numbered as an editor does. */
  readonly notLines: number
  /** Checksum of the first bytes of the log, at most `startLength`: what it is looked up by. */
  readonly start: number
}

export const readContext = ({ context }: ImportProgress): LogContext => JSON.parse(context ?? '{}')

const startLength = 1024

/** The `start` of a log that begins so. */
export const startOf = (head: Buffer): number => crc32(head.subarray(0, startLength))

export class KnownLogs {
  /** By length and checksum of the start, and then by id. */
  readonly #byStart = new Map<number, Map<number, Map<string, ImportProgress>>>()
  #headLengthMax = 0

  constructor(imports: readonly ImportProgress[]) {
    for (const progress of imports) this.add(progress)
  }

  /** The longest head that any of them is known by. */
  get headLengthMax(): number {
    return this.#headLengthMax
  }

  /** A new log, or one that has come further. */
  add(progress: ImportProgress): void {
    this.#headLengthMax = Math.max(this.#headLengthMax, progress.headLength)
    const length = Math.min(progress.headLength, startLength)
    const { start } = readContext(progress)
    const ofLength = this.#byStart.get(length) ?? new Map<number, Map<string, ImportProgress>>()
    const ofStart = ofLength.get(start) ?? new Map<string, ImportProgress>()
    this.#byStart.set(length, ofLength.set(start, ofStart.set(progress.id, progress)))
  }

  /** Those that begin like a log with this head, the longest first. */
  withHead(head: Buffer): ImportProgress[] {
    const alike = [...this.#byStart]
      .filter(([length]) => length <= head.length)
      .flatMap(([length, ofLength]) => [...(ofLength.get(startOf(head.subarray(0, length)))?.values() ?? [])])
    return alike.filter(progress => hasHead(progress, head)).sort((a, b) => b.offset - a.offset)
  }
}

const hasHead = ({ headLength, headHash }: ImportProgress, head: Buffer): boolean =>
  headLength <= head.length && fingerprintHash(head.subarray(0, headLength)) === headHash
