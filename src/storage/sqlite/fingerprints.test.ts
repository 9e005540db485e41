/** Fingerprints must be evenly spread and differ by day and instance: enough to tell clients apart, too little to identify one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { dayMs } from '../../domain/date-range.ts'
import { sameRequestMs } from '../../domain/event.ts'
import { createFingerprints, neighbourFingerprint, ownFingerprint } from './fingerprints.ts'

const noon = Date.UTC(2026, 5, 15, 12)
const midnight = noon + dayMs / 2

test('clients are spread evenly over the fingerprints, whether they differ by address or by user agent', () => {
  const find = createFingerprints('secret')
  const clients = Array.from({ length: 20_000 }, (_, i) => `198.51.${i >> 8}.${i & 255}`)
  for (const fingerprints of [
    clients.map(client => find(noon, 'GPTBot', client)),
    clients.map(client => find(noon, client, '198.51.100.7')),
  ]) {
    const distinct = new Set(fingerprints).size
    // Of 65,536 equally likely values, 20,000 draws hit 17,235 on average, with a deviation of 44.
    assert.ok(distinct > 16_900 && distinct < 17_600, `${distinct} distinct`)
    assert.ok(fingerprints.every(each => each >= 1 && each <= 65_535))
  }
})

test('a fingerprint depends on instance, day, address and user agent', () => {
  const [one, other] = [createFingerprints('secret'), createFingerprints('other')]
  const clients = Array.from({ length: 50 }, (_, i) => `2001:db8::${i}`)
  const all = (find: typeof one, time: number, userAgent: string) =>
    clients.map(client => find(time, userAgent, client))
  const expected = all(one, noon, 'GPTBot')
  assert.deepEqual(all(createFingerprints('secret'), noon + 3_600_000, 'GPTBot'), expected)
  for (const different of [
    all(other, noon, 'GPTBot'),
    all(one, noon + dayMs, 'GPTBot'),
    all(one, noon, 'ClaudeBot'),
  ]) {
    const alike = different.filter((fingerprint, i) => fingerprint === expected[i]).length
    assert.ok(alike <= 1, `${alike} alike`)
  }
})

test('near midnight a client has the fingerprint of the neighbouring day as well', () => {
  const find = createFingerprints('secret')
  const at = (time: number) => find(time, 'GPTBot', '203.0.113.9')
  const [before, after] = [at(noon), at(noon + dayMs)]
  for (const [time, own, neighbour] of [
    [midnight - sameRequestMs - 1, before, 0],
    [midnight - sameRequestMs + 1, before, after],
    [midnight - 1, before, after],
    [midnight, after, before],
    [midnight + sameRequestMs, after, before],
    [midnight + sameRequestMs + 1, after, 0],
  ] as const) {
    assert.deepEqual([ownFingerprint(at(time)), neighbourFingerprint(at(time))], [own, neighbour])
  }
})

test('long user agents are not kept in memory', () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const find = createFingerprints('secret')
  const heapMib = (): number => {
    collectGarbage()
    return process.memoryUsage().heapUsed / 2 ** 20
  }
  const before = heapMib()
  for (let n = 0; n < 20_000; n++) find(noon, `GPTBot/${n} ${'x'.repeat(985)}`, '203.0.113.9')
  const grown = heapMib() - before
  assert.notEqual(find(noon, 'GPTBot/1', '203.0.113.9'), find(noon, 'GPTBot/2', '203.0.113.9'))
  assert.ok(grown < 10, `${grown.toFixed(1)} MiB`)
})
