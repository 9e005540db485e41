/** Names are told apart, by bits that only the seed decides. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NameHash } from './name-hash.ts'

const seed = Int32Array.of(0x1234567, -0x7654321)
const hashOf = (name: string, of = seed): string => {
  const hash = new NameHash(of)
  hash.read(name)
  return `${hash.low} ${hash.high}`
}

test('names that look alike have different bits, and the same name always the same', () => {
  const names = Array.from({ length: 50_000 }, (_, i) => `2001:db8::${i.toString(16)}`)
  names.push('', '\0', '\0\0', '\0\0\0', 'a', 'a\0', 'ab', 'ba', 'abc', 'ä', 'Ā', '\u{1f600}')
  assert.equal(new Set(names.map(name => hashOf(name))).size, names.length)
  for (const name of names.slice(-20)) assert.equal(hashOf(name), hashOf(name))
})

test('another character at the end or the beginning changes each bit in half of the cases', () => {
  const tries = 4_000
  const [before, after] = [new NameHash(seed), new NameHash(seed)]
  for (const change of [(name: string) => `${name}0`, (name: string) => name.replace('u', 't')]) {
    const flips = new Uint32Array(64)
    for (let i = 0; i < tries; i++) {
      before.read(`usr_${i}`)
      after.read(change(`usr_${i}`))
      const changed = [before.low ^ after.low, before.high ^ after.high]
      for (let bit = 0; bit < 64; bit++) flips[bit]! += (changed[bit >> 5]! >>> (bit & 31)) & 1
    }
    for (const [bit, times] of flips.entries())
      assert.ok(Math.abs(times / tries - 0.5) < 0.06, `bit ${bit} changes ${times} times of ${tries}`)
  }
})

test('another seed gives other bits, whichever half of it differs', () => {
  const [k0 = 0, k1 = 0] = seed
  const hashes = [seed, Int32Array.of(k0 ^ 1, k1), Int32Array.of(k0, k1 ^ 1)].map(of => hashOf('a', of))
  assert.equal(new Set(hashes).size, 3)
})
