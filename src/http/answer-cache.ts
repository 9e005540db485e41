/** Keeps recent answers with their compressed forms. An answer is valid until the data of its site changes. */
import { type Coding, compress, compressFromBytes } from './compression.ts'

/** On what an answer depends besides the question: another revision, another day, another answer. */
export interface Circumstances {
  readonly revision: number
  /** Number of the day or hour whose "now" the answer knows. */
  readonly period: number
}

export interface Answer extends Circumstances {
  readonly etag: string
  /** JSON as it is. */
  readonly plain: Buffer
  readonly compressed: Map<Coding, Buffer>
}

/** What an answer takes besides its bytes. */
const entryBytes = 500

export class AnswerCache {
  readonly #bytesMax: number
  /** The latest last. */
  readonly #answers = new Map<string, Answer>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Null when there is none that still holds. */
  find(question: string, { revision, period }: Circumstances): Answer | null {
    const answer = this.#answers.get(question)
    if (!answer || answer.revision !== revision || answer.period !== period) return null
    // Taken out and put back, so that it is the latest.
    this.#answers.delete(question)
    this.#answers.set(question, answer)
    return answer
  }

  put(question: string, answer: Answer): void {
    this.#forget(question)
    this.#answers.set(question, answer)
    this.#bytes += sizeOf(question, answer)
    this.#shrink()
  }

  /** The bytes to send with this coding; made once. Null where they are too few to compress. */
  compressed(question: string, answer: Answer, coding: Coding): Buffer | null {
    if (answer.plain.length < compressFromBytes) return null
    let bytes = answer.compressed.get(coding)
    if (!bytes) {
      bytes = compress(coding, answer.plain)
      answer.compressed.set(coding, bytes)
      if (this.#answers.get(question) === answer) this.#bytes += bytes.length
      this.#shrink()
    }
    return bytes
  }

  #shrink(): void {
    for (const oldest of this.#answers.keys()) {
      if (this.#bytes <= this.#bytesMax) return
      this.#forget(oldest)
    }
  }

  #forget(question: string): void {
    const answer = this.#answers.get(question)
    if (!answer) return
    this.#answers.delete(question)
    this.#bytes -= sizeOf(question, answer)
  }
}

const sizeOf = (question: string, { plain, compressed }: Answer): number =>
  entryBytes +
  question.length +
  plain.length +
  compressed.values().reduce((sum, bytes) => sum + bytes.length, 0)
