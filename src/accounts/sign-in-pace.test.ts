/** Guessing passwords must take longer with each try. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SignInPace } from './sign-in-pace.ts'

const minuteMs = 60_000

test('four wrong tries cause no wait; after that the wait doubles up to a minute', () => {
  const pace = new SignInPace()
  const waits = Array.from({ length: 12 }, () => {
    pace.wrong(['a'], 1_000)
    return pace.waitMs(['b', 'a'], 1_000) / 1000
  })
  assert.deepEqual(waits, [0, 0, 0, 0, 2, 4, 8, 16, 32, 60, 60, 60])
  assert.equal(pace.waitMs(['a'], 31_000), 30_000)
  assert.equal(pace.waitMs(['a'], 62_000), 0)
  assert.equal(pace.waitMs(['b'], 1_000), 0)
})

test('a right password or a quarter of an hour clears the wrong tries', () => {
  const pace = new SignInPace()
  const guess = (now: number): void => {
    for (let n = 0; n < 5; n++) pace.wrong(['a', 'b'], now)
  }
  guess(0)
  pace.right(['a'])
  assert.deepEqual([pace.waitMs(['a'], 0), pace.waitMs(['b'], 0)], [0, 2_000])
  pace.wrong(['b'], 15 * minuteMs)
  assert.equal(pace.waitMs(['b'], 15 * minuteMs), 0)
})

test('a pace decides like one that never forgets a name', () => {
  const step = fc.record({
    names: fc.subarray(['1.2.3.4 a@b.example', '1.2.3.4 c@d.example', ''], { minLength: 1 }),
    passedMs: fc.constantFrom(0, 0, 0, 1_000, 20_000, 15 * minuteMs - 1, 15 * minuteMs),
    outcome: fc.constantFrom('wrong', 'wrong', 'wrong', 'wrong', 'wrong', 'right'),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const pace = new SignInPace()
      const known = new Map<string, { wrong: number; lastAt: number }>()
      let now = 1_773_576_000_250
      for (const { names, passedMs, outcome } of steps) {
        now += passedMs
        for (const name of names) {
          const before = known.get(name)
          const wrong = before && now - before.lastAt < 15 * minuteMs ? before.wrong + 1 : 1
          if (outcome === 'wrong') known.set(name, { wrong, lastAt: now })
          else known.delete(name)
        }
        if (outcome === 'wrong') pace.wrong(names, now)
        else pace.right(names)
        for (const name of names) {
          const { wrong = 0 } = known.get(name) ?? {}
          const expected = wrong > 4 ? Math.min(minuteMs, 1000 * 2 ** (wrong - 4)) : 0
          assert.equal(pace.waitMs([name], now), expected)
        }
      }
    }),
  )
})

test('with too many names, those with the oldest tries are forgotten', () => {
  const pace = new SignInPace(16)
  const names = Array.from({ length: 17 }, (_, i) => `name ${i}`)
  for (const [i, name] of names.entries()) for (let n = 0; n < 9; n++) pace.wrong([name], i)
  pace.wrong(['name 1'], 20)
  pace.wrong(['new'], 21)
  assert.deepEqual(
    names.filter(name => pace.waitMs([name], 21) === 0),
    ['name 0', 'name 2'],
  )
})
