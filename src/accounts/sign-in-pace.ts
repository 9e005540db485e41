/** Slows whoever guesses passwords: after a few wrong ones the next try must wait, longer each time. */
import { SharedCounts } from './shared-counts.ts'

/** Wrong tries that cost nothing: people mistype. */
const freeTries = 4
const longestWaitMs = 60_000
const forgottenAfterMs = 15 * 60_000
/** At more names than that, those tried longest ago go. */
const rememberedMax = 50_000

export class SignInPace {
  /** By email and client address: when the last try was, and how many were wrong. */
  readonly #tries: SharedCounts

  /** With the memory of another one, which may belong to another thread, both count together. */
  constructor(memory = SharedCounts.memoryFor(rememberedMax)) {
    this.#tries = new SharedCounts(memory)
  }

  get memory(): SharedArrayBuffer {
    return this.#tries.memory
  }

  /** Milliseconds until any of the names may try again; 0 when all may. */
  waitMs(names: readonly string[], now: number): number {
    return Math.max(0, ...names.map(name => this.#waitOf(name, now)))
  }

  wrong(names: readonly string[], now: number): void {
    const tries = this.#tries
    for (const name of names) {
      const known = tries.hold(name)
      const place = known === -1 ? tries.add() : known
      const before = isRecent(tries.times[place]!, now) ? tries.counts[place]! : 0
      tries.counts[place] = before + 1
      tries.times[place] = now
      tries.release()
    }
  }

  right(names: readonly string[]): void {
    for (const name of names) {
      const place = this.#tries.hold(name)
      if (place !== -1) this.#tries.remove(place)
      this.#tries.release()
    }
  }

  #waitOf(name: string, now: number): number {
    const tries = this.#tries
    const place = tries.hold(name)
    const wrong = place === -1 ? 0 : tries.counts[place]!
    const lastAt = place === -1 ? 0 : tries.times[place]!
    tries.release()
    if (wrong <= freeTries || !isRecent(lastAt, now)) return 0
    const wait = Math.min(longestWaitMs, 1000 * 2 ** (wrong - freeTries))
    return Math.max(0, lastAt + wait - now)
  }
}

const isRecent = (lastAt: number, now: number): boolean => now - lastAt < forgottenAfterMs
