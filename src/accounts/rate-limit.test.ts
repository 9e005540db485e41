/** The limits must hold for every order of requests, and strangers must not be able to fill the memory with names. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RateLimiter, type RateVerdict } from './rate-limit.ts'

const windowMs = 60_000

/** A simple limiter that never forgets a name. */
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

test('a limiter decides like one that never forgets a name', () => {
  const question = fc.record({
    name: fc.constantFrom('a', 'b', 'collect 2001:db8::1', 'ü', ''),
    limit: fc.constantFrom(1, 2, 5),
    passedMs: fc.constantFrom(0, 0, 1, 250, 20_000, 59_999, 60_000, -500),
    isTaken: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(question, { maxLength: 60 }), questions => {
      const limiter = new RateLimiter()
      const model = new Model()
      let now = 1_773_576_000_250
      for (const { name, limit, passedMs, isTaken } of questions) {
        now += passedMs
        const verdict = isTaken ? limiter.take(name, limit, now) : limiter.peek(name, limit, now)
        assert.deepEqual(verdict, model.ask(name, limit, now, isTaken))
      }
    }),
  )
})

test('with too many names, the oldest windows are forgotten', () => {
  const limiter = new RateLimiter(16)
  const names = Array.from({ length: 16 }, (_, i) => `name ${i}`)
  for (const [i, name] of names.entries()) limiter.take(name, 5, i)
  // The window of name 2 has ended and a new one has begun, those of 0 and 1 have only ended.
  const now = windowMs + 5
  limiter.take('name 2', 5, now)
  for (const name of ['new', 'newer', 'newest']) limiter.take(name, 5, now)
  const remembered = [...names, 'new', 'newer', 'newest'].filter(
    name => limiter.peek(name, 5, 5).remaining < 5,
  )
  assert.deepEqual(remembered, ['name 2', ...names.slice(4), 'new', 'newer', 'newest'])
})
