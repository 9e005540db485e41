/** Counts requests in windows of 60 s that start with the first request of each. */

const windowMs = 60_000

export interface RateVerdict {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Unix seconds at which the window ends. */
  readonly resetSeconds: number
  /** Whole seconds until then, at least 1. */
  readonly retryAfterSeconds: number
}

interface Window {
  readonly endsAt: number
  used: number
}

export class RateLimiter {
  readonly #windows = new Map<string, Window>()
  readonly #rememberedMax: number

  /** `rememberedMax` bounds the memory: at more names than that, ended windows go, and then the oldest. */
  constructor(rememberedMax = 100_000) {
    this.#rememberedMax = rememberedMax
  }

  /** Counts one request of `name`. */
  take(name: string, limit: number, now: number): RateVerdict {
    const window = this.#window(name, now)
    const allowed = window.used < limit
    if (allowed) window.used++
    return verdict(window, limit, allowed, now)
  }

  /** Whether `name` has used up `limit`, counting nothing. */
  peek(name: string, limit: number, now: number): RateVerdict {
    const window = this.#windows.get(name)
    if (!window || window.endsAt <= now) return verdict({ endsAt: now + windowMs, used: 0 }, limit, true, now)
    return verdict(window, limit, window.used < limit, now)
  }

  #window(name: string, now: number): Window {
    const known = this.#windows.get(name)
    if (known && known.endsAt > now) return known
    const window = { endsAt: now + windowMs, used: 0 }
    // Deleted first, so that the map stays in the order of age.
    this.#windows.delete(name)
    this.#windows.set(name, window)
    if (this.#windows.size > this.#rememberedMax) this.#forget(now)
    return window
  }

  #forget(now: number): void {
    for (const [name, { endsAt }] of this.#windows) {
      if (endsAt > now && this.#windows.size <= this.#rememberedMax) return
      this.#windows.delete(name)
    }
  }
}

const verdict = (window: Window, limit: number, allowed: boolean, now: number): RateVerdict => ({
  allowed,
  limit,
  remaining: Math.max(0, limit - window.used),
  resetSeconds: Math.ceil(window.endsAt / 1000),
  retryAfterSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1000)),
})
