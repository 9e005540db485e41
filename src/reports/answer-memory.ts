/**
 * Answers that are kept while they are true, so that a dashboard that asks again costs a look-up (row 1 of docs/performance.md). Kept
 * from the second time on: keeping answers that nobody asks for again costs a tenth of making them (row 2).
 */

import { isAscii } from 'node:buffer'

/** Under what an answer is true; an answer with other circumstances is not given. */
export interface Circumstances {
  readonly site: number
  /** Of the site: changes when any answer about it may have changed. */
  readonly revision: number
  /** A running number of the time in which "now" means the same to the report. */
  readonly period: number
  /** A plan decides what may be asked for. */
  readonly plan: string
}

export interface Answer extends Circumstances {
  readonly etag: string
  readonly body: string | Buffer
}

/** So many other questions at least may come between the first and the second time. */
const askedOnceMax = 1_000

export class AnswerMemory {
  /** In the order of use: the first was used longest ago. */
  readonly #answers = new Map<string, Answer>()
  readonly #lengthMax: number
  readonly #askedOnce = new Set<string>()
  #length = 0
  #newest: Answer | null = null

  constructor(lengthMax = 16 * 2 ** 20) {
    this.#lengthMax = lengthMax
  }

  get(url: string, { site, revision, period, plan }: Circumstances): Answer | null {
    const answer = this.#answers.get(url)
    if (
      !answer ||
      answer.site !== site ||
      answer.revision !== revision ||
      answer.period !== period ||
      answer.plan !== plan
    ) {
      return null
    }
    if (answer !== this.#newest) {
      this.#answers.delete(url)
      this.#answers.set(url, answer)
      this.#newest = answer
    }
    return answer
  }

  /** Remembers the answer if it was asked for before; of bytes a copy, since their owner may use them again. */
  put(url: string, given: Answer): void {
    const before = this.#answers.get(url)
    if (before) this.#length -= lengthOf(url, before)
    else if (!this.#wasAsked(url)) return
    const { body } = given
    const answer = { ...given, body: typeof body === 'string' ? body : copyOf(body) }
    this.#answers.delete(url)
    this.#answers.set(url, answer)
    this.#newest = answer
    this.#length += lengthOf(url, answer)
    if (this.#length <= this.#lengthMax) return
    for (const [oldest, forgotten] of this.#answers) {
      this.#answers.delete(oldest)
      this.#length -= lengthOf(oldest, forgotten)
      if (this.#length <= this.#lengthMax) return
    }
  }

  #wasAsked(url: string): boolean {
    if (this.#askedOnce.delete(url)) return true
    if (this.#askedOnce.size >= askedOnceMax) this.#askedOnce.clear()
    this.#askedOnce.add(url)
    return false
  }
}

/** As text where it can be, which goes out together with the head of its answer. */
const copyOf = (body: Buffer): string | Buffer =>
  isAscii(body) ? body.toString('latin1') : Buffer.from(body)

/** Whoever asks chooses the URL, which may be far longer than its answer. */
const lengthOf = (url: string, { body }: Answer): number => url.length + body.length
