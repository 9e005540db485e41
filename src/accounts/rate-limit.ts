/** Limits requests per minute. A window begins with its first request and lasts one minute. Each process counts separately. */

export interface RateVerdict {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** End of the window in Unix seconds. */
  readonly resetSeconds: number
  /** Whole seconds until the window ends, at least 1. */
  readonly retryAfterSeconds: number
}

interface Window {
  readonly endsAt: number
  used: number
}

const windowMs = 60_000

export class RateLimiter {
  readonly #namesMax: number
  /** In the order in which the windows began. */
  readonly #windows = new Map<string, Window>()

  /** Beyond `namesMax` names, the oldest windows are forgotten, because strangers choose names and could fill the memory. */
  constructor(namesMax = 100_000) {
    this.#namesMax = namesMax
  }

  /** Counts one request of `name`. */
  take(name: string, limit: number, now: number): RateVerdict {
    const window = this.#current(name, now) ?? this.#begin(name, now)
    const allowed = window.used < limit
    if (allowed) window.used++
    return verdict(window, limit, allowed, now)
  }

  /** The verdict on `name` without counting a request. */
  peek(name: string, limit: number, now: number): RateVerdict {
    const window = this.#current(name, now) ?? { endsAt: now + windowMs, used: 0 }
    return verdict(window, limit, window.used < limit, now)
  }

  #current(name: string, now: number): Window | undefined {
    const window = this.#windows.get(name)
    return window && window.endsAt > now ? window : undefined
  }

  #begin(name: string, now: number): Window {
    const window = { endsAt: now + windowMs, used: 0 }
    // Deleting the old entry first makes the new window the last in order.
    this.#windows.delete(name)
    if (this.#windows.size >= this.#namesMax) this.#forgetOldest()
    this.#windows.set(name, window)
    return window
  }

  #forgetOldest(): void {
    const [oldest] = this.#windows.keys()
    if (oldest !== undefined) this.#windows.delete(oldest)
  }
}

const verdict = ({ endsAt, used }: Window, limit: number, allowed: boolean, now: number): RateVerdict => ({
  allowed,
  limit,
  remaining: Math.max(0, limit - used),
  resetSeconds: Math.ceil(endsAt / 1000),
  retryAfterSeconds: Math.max(1, Math.ceil((endsAt - now) / 1000)),
})
