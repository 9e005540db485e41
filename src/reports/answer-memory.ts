/**
 * Answers that are kept until the site's numbers change, so that a dashboard that asks again costs a look-up
 * (row 1 of docs/performance.md).
 */

interface Answer {
  readonly revision: number
  readonly body: string
}

export class AnswerMemory {
  /** In the order of use: the first was used longest ago. */
  readonly #answers = new Map<string, Answer>()
  readonly #charactersMax: number
  #characters = 0

  constructor(charactersMax = 16 * 2 ** 20) {
    this.#charactersMax = charactersMax
  }

  /** `question` names the site and everything else that the answer depends on, other than the site's revision. */
  get(question: string, revision: number): string | null {
    const answer = this.#answers.get(question)
    if (!answer) return null
    this.#answers.delete(question)
    if (answer.revision !== revision) {
      this.#characters -= answer.body.length
      return null
    }
    this.#answers.set(question, answer)
    return answer.body
  }

  put(question: string, revision: number, body: string): void {
    const before = this.#answers.get(question)
    if (before) this.#characters -= before.body.length
    this.#answers.delete(question)
    this.#answers.set(question, { revision, body })
    this.#characters += body.length
    for (const [oldest, { body }] of this.#answers) {
      if (this.#characters <= this.#charactersMax) return
      this.#answers.delete(oldest)
      this.#characters -= body.length
    }
  }
}
