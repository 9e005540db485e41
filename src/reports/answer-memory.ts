/** Answers that are kept while they are true, so that a dashboard that asks again costs a look-up (row 1 of docs/performance.md). */

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
  readonly body: string
}

export class AnswerMemory {
  /** In the order of use: the first was used longest ago. */
  readonly #answers = new Map<string, Answer>()
  readonly #charactersMax: number
  #characters = 0
  #newest: Answer | null = null

  constructor(charactersMax = 16 * 2 ** 20) {
    this.#charactersMax = charactersMax
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

  put(url: string, answer: Answer): void {
    const before = this.#answers.get(url)
    if (before) this.#characters -= before.body.length
    this.#answers.delete(url)
    this.#answers.set(url, answer)
    this.#newest = answer
    this.#characters += answer.body.length
    if (this.#characters <= this.#charactersMax) return
    for (const [oldest, { body }] of this.#answers) {
      this.#answers.delete(oldest)
      this.#characters -= body.length
      if (this.#characters <= this.#charactersMax) return
    }
  }
}
