/** Slows whoever guesses passwords: after a few wrong ones the next try must wait, longer each time. */

/** Wrong tries that cost nothing: people mistype. */
const freeTries = 4
const longestWaitMs = 60_000
const forgottenAfterMs = 15 * 60_000
const rememberedMax = 50_000

interface Tries {
  wrong: number
  lastAt: number
}

export class SignInPace {
  /** By email and by client address, the one tried longest ago first. */
  readonly #tries = new Map<string, Tries>()

  /** Milliseconds until any of the names may try again; 0 when all may. */
  waitMs(names: readonly string[], now: number): number {
    return Math.max(0, ...names.map(name => this.#waitOf(name, now)))
  }

  wrong(names: readonly string[], now: number): void {
    for (const name of names) {
      const before = this.#recent(name, now)
      this.#tries.delete(name)
      this.#tries.set(name, { wrong: (before?.wrong ?? 0) + 1, lastAt: now })
    }
    for (const name of this.#tries.keys()) {
      if (this.#tries.size <= rememberedMax) return
      this.#tries.delete(name)
    }
  }

  right(names: readonly string[]): void {
    for (const name of names) this.#tries.delete(name)
  }

  #waitOf(name: string, now: number): number {
    const tries = this.#recent(name, now)
    if (!tries || tries.wrong <= freeTries) return 0
    const wait = Math.min(longestWaitMs, 1000 * 2 ** (tries.wrong - freeTries))
    return Math.max(0, tries.lastAt + wait - now)
  }

  #recent(name: string, now: number): Tries | undefined {
    const tries = this.#tries.get(name)
    return tries && now - tries.lastAt < forgottenAfterMs ? tries : undefined
  }
}
