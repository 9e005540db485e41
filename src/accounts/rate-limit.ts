/** Counts requests in windows of 60 s that start with the first request of each. */
import { SharedCounts } from './shared-counts.ts'

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

/** At more names than that, windows that have ended go first, and then those that began first. */
const rememberedMax = 100_000

export class RateLimiter {
  /** The end of the window and the requests in it. */
  readonly #windows: SharedCounts

  /** With the memory of another one, which may belong to another thread, both count together. */
  constructor(memory = SharedCounts.memoryFor(rememberedMax)) {
    this.#windows = new SharedCounts(memory)
  }

  get memory(): SharedArrayBuffer {
    return this.#windows.memory
  }

  /** Counts one request of `name`. */
  take(name: string, limit: number, now: number): RateVerdict {
    const windows = this.#windows
    const known = windows.hold(name)
    const place = known === -1 ? windows.add() : known
    if (windows.times[place]! <= now) {
      windows.times[place] = now + windowMs
      windows.counts[place] = 0
    }
    const endsAt = windows.times[place]!
    const before = windows.counts[place]!
    const allowed = before < limit
    if (allowed) windows.counts[place] = before + 1
    windows.release()
    return verdict(endsAt, allowed ? before + 1 : before, limit, allowed, now)
  }

  /** Whether `name` has used up `limit`, counting nothing. */
  peek(name: string, limit: number, now: number): RateVerdict {
    const windows = this.#windows
    const place = windows.hold(name)
    const endsAt = place === -1 ? 0 : windows.times[place]!
    const used = place === -1 ? 0 : windows.counts[place]!
    windows.release()
    if (place === -1 || endsAt <= now) return verdict(now + windowMs, 0, limit, true, now)
    return verdict(endsAt, used, limit, used < limit, now)
  }
}

const verdict = (
  endsAt: number,
  used: number,
  limit: number,
  allowed: boolean,
  now: number,
): RateVerdict => ({
  allowed,
  limit,
  remaining: Math.max(0, limit - used),
  resetSeconds: Math.ceil(endsAt / 1000),
  retryAfterSeconds: Math.max(1, Math.ceil((endsAt - now) / 1000)),
})
