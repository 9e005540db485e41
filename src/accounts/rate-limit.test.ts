/** Limits by name hold for all limiters that share a memory, whichever of them is asked, in whichever thread. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { inThreads } from '../../tests/support/threads.ts'
import { RateLimiter, type RateVerdict } from './rate-limit.ts'
import { SharedCounts } from './shared-counts.ts'

const windowMs = 60_000

/** What the limiter promises, as long as no name has to be forgotten. */
class Model {
  readonly #windows = new Map<string, { endsAt: number; used: number }>()

  ask(name: string, limit: number, now: number, counts: boolean): RateVerdict {
    const known = this.#windows.get(name)
    const window = known && known.endsAt > now ? known : { endsAt: now + windowMs, used: 0 }
    const allowed = window.used < limit
    if (counts) this.#windows.set(name, window)
    if (counts && allowed) window.used++
    return {
      allowed,
      limit,
      remaining: Math.max(0, limit - window.used),
      resetSeconds: Math.ceil(window.endsAt / 1000),
      retryAfterSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1000)),
    }
  }
}

test('two limiters over one memory answer as one that remembers every name', () => {
  const question = fc.record({
    limiter: fc.nat({ max: 1 }),
    name: fc.constantFrom('a', 'b', 'collect 2001:db8::1', 'ü', ''),
    limit: fc.constantFrom(1, 2, 5),
    passedMs: fc.constantFrom(0, 0, 1, 250, 20_000, 59_999, 60_000, -500),
    isTaken: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(question, { maxLength: 60 }), questions => {
      const first = new RateLimiter(SharedCounts.memoryFor(1_000))
      const limiters = [first, new RateLimiter(first.memory)]
      const model = new Model()
      let now = 1_773_576_000_250
      for (const { limiter, name, limit, passedMs, isTaken } of questions) {
        now += passedMs
        const asked = limiters[limiter]!
        const verdict = isTaken ? asked.take(name, limit, now) : asked.peek(name, limit, now)
        assert.deepEqual(verdict, model.ask(name, limit, now, isTaken))
      }
    }),
  )
})

test('of too many names those whose windows have ended are forgotten first, and then those that began first', () => {
  const limiter = new RateLimiter(SharedCounts.memoryFor(8))
  const names = Array.from({ length: 16 }, (_, i) => `name ${i}`)
  for (const [i, name] of names.entries()) limiter.take(name, 5, i)
  // The window of name 2 has ended and a new one has begun, those of 0 and 1 have only ended.
  const now = windowMs + 5
  limiter.take('name 2', 5, now)
  for (const name of ['new', 'newer', 'newest']) limiter.take(name, 5, now)
  const remembered = [...names, 'new', 'newer', 'newest'].filter(
    name => limiter.peek(name, 5, windowMs).remaining < 5,
  )
  assert.deepEqual(remembered, ['name 2', ...names.slice(4), 'new', 'newer', 'newest'])
})

describe('several threads', () => {
  const module = new URL('./rate-limit.ts', import.meta.url).href
  const source = `
    const { RateLimiter } = await import(workerData.module)
    const limiter = new RateLimiter(workerData.memory)
    const remaining = []
    for (let window = 0; window < workerData.windows; window++) {
      together()
      const left = []
      for (let i = 0; i < workerData.tries; i++) {
        const verdict = limiter.take('a', workerData.limit, workerData.begin + 60_000 * window)
        if (verdict.allowed) left.push(verdict.remaining)
      }
      remaining.push(left)
    }
    tell(remaining)
  `
  /** For each window, what remained after each request that was allowed, in falling order. */
  async function allowedIn(windows: number, tries: number, limit: number): Promise<number[][]> {
    const { memory } = new RateLimiter()
    const data = { module, memory, windows, tries, limit, begin: Date.UTC(2026, 2, 15) }
    const byThread = await inThreads<number[][]>(4, source, data)
    return Array.from({ length: windows }, (_, window) =>
      byThread.flatMap(thread => thread[window]!).sort((a, b) => b - a),
    )
  }

  const falling = (from: number): number[] => Array.from({ length: from }, (_, i) => from - 1 - i)

  test('allow exactly the limit together, each request with a number of its own remaining', async () => {
    const limit = 300_000
    const [remaining] = await allowedIn(1, 100_000, limit)
    assert.deepEqual(remaining, falling(limit))
  })

  test('begin one new window when the old one ends under all of them', async () => {
    const limit = 600
    for (const remaining of await allowedIn(100, 400, limit)) assert.deepEqual(remaining, falling(limit))
  })
})
