/** Slows the guessing of passwords: after some wrong tries, each next try must wait longer. Each process counts separately. */

/** The first wrong tries cause no wait, because people mistype. */
const freeTries = 4
const longestWaitMs = 60_000
const forgottenAfterMs = 15 * 60_000

interface Tries {
  readonly wrong: number
  readonly lastAt: number
}

export class SignInPace {
  readonly #namesMax: number
  /** In the order of the last try. */
  readonly #tries = new Map<string, Tries>()

  /** Beyond `namesMax` names, the names with the oldest tries are forgotten. */
  constructor(namesMax = 50_000) {
    this.#namesMax = namesMax
  }

  /** Milliseconds until any of the names may try again; 0 when all may. */
  waitMs(names: readonly string[], now: number): number {
    return Math.max(0, ...names.map(name => this.#waitOf(name, now)))
  }

  wrong(names: readonly string[], now: number): void {
    for (const name of names) {
      const wrong = this.#wrongOf(name, now) + 1
      this.#tries.delete(name)
      if (this.#tries.size >= this.#namesMax) this.#forgetOldest()
      this.#tries.set(name, { wrong, lastAt: now })
    }
  }

  right(names: readonly string[]): void {
    for (const name of names) this.#tries.delete(name)
  }

  #wrongOf(name: string, now: number): number {
    const tries = this.#tries.get(name)
    return tries && now - tries.lastAt < forgottenAfterMs ? tries.wrong : 0
  }

  #waitOf(name: string, now: number): number {
    const wrong = this.#wrongOf(name, now)
    if (wrong <= freeTries) return 0
    const wait = Math.min(longestWaitMs, 1000 * 2 ** (wrong - freeTries))
    return Math.max(0, this.#tries.get(name)!.lastAt + wait - now)
  }

  #forgetOldest(): void {
    const [oldest] = this.#tries.keys()
    if (oldest !== undefined) this.#tries.delete(oldest)
  }
}
