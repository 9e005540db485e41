/** What is counted by name, by several objects over the same memory and by several threads. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inThreads } from '../../tests/support/threads.ts'
import { SharedCounts } from './shared-counts.ts'

function countOf(counts: SharedCounts, name: string): number | null {
  const place = counts.hold(name)
  const count = place === -1 ? null : counts.counts[place]!
  counts.release()
  return count
}

function put(counts: SharedCounts, name: string, time: number, count: number): void {
  const known = counts.hold(name)
  const place = known === -1 ? counts.add() : known
  counts.times[place] = time
  counts.counts[place] = count
  counts.release()
}

/** One row, of which every place is taken: place `i` by `name i` at the time `i`. */
function fullRow(): { counts: SharedCounts; names: string[] } {
  const counts = new SharedCounts(SharedCounts.memoryFor(8))
  const names = Array.from({ length: 16 }, (_, i) => `name ${i}`)
  for (const [i, name] of names.entries()) put(counts, name, i, i)
  return { counts, names }
}

describe('the memory', () => {
  test('is the same for all objects over it, and a name that was removed is unknown to all', () => {
    const one = new SharedCounts(SharedCounts.memoryFor(100))
    const two = new SharedCounts(one.memory)
    put(one, 'a', 1, 7)
    assert.deepEqual([countOf(two, 'a'), countOf(two, 'b')], [7, null])
    two.remove(two.hold('a'))
    two.release()
    assert.deepEqual([countOf(one, 'a'), countOf(one, '')], [null, null])
  })

  test('has a seed of its own, so that the same names lie elsewhere in another one', () => {
    const names = Array.from({ length: 20 }, (_, i) => `name ${i}`)
    const placesIn = (counts: SharedCounts): number[] =>
      names.map(name => {
        counts.hold(name)
        const place = counts.add()
        counts.release()
        return place
      })
    const [one, two] = [1, 2].map(() => placesIn(new SharedCounts(SharedCounts.memoryFor(10_000))))
    assert.notDeepEqual(one, two)
  })

  test('remembers the number of names it was made for, but for a few', () => {
    const counts = new SharedCounts(SharedCounts.memoryFor(100_000))
    assert.ok(counts.memory.byteLength < 6 * 2 ** 20)
    const names = Array.from({ length: 100_000 }, (_, i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`)
    for (const [i, name] of names.entries()) put(counts, name, i, i)
    const lost = names.filter((name, i) => countOf(counts, name) !== i)
    assert.ok(lost.length < 100, `${lost.length} are lost`)
  })
})

describe('a full row', () => {
  test('gives up the earliest time for a new name, and keeps the others', () => {
    const { counts, names } = fullRow()
    put(counts, names[0]!, 100, 0)
    put(counts, 'new', 50, 50)
    assert.equal(countOf(counts, 'new'), 50)
    assert.deepEqual(
      names.map(name => countOf(counts, name)),
      [0, null, ...names.keys().drop(2)],
    )
  })

  test('has room where a name was removed, also before the names that came later', () => {
    const { counts, names } = fullRow()
    counts.remove(counts.hold(names[7]!))
    counts.release()
    assert.equal(countOf(counts, names[15]!), 15)
    put(counts, names[15]!, 15, 16)
    put(counts, 'new', 50, 50)
    assert.deepEqual(
      [...names, 'new'].map(name => countOf(counts, name)),
      [0, 1, 2, 3, 4, 5, 6, null, 8, 9, 10, 11, 12, 13, 14, 16, 50],
    )
  })
})

describe('threads', () => {
  const module = new URL('./shared-counts.ts', import.meta.url).href

  test('lose no count, neither of one name nor of many', async () => {
    const counts = new SharedCounts(SharedCounts.memoryFor(1_000))
    const source = `
      const { SharedCounts } = await import(workerData.module)
      const counts = new SharedCounts(workerData.memory)
      together()
      for (let i = 0; i < workerData.rounds; i++) {
        for (const name of ['all', 'name ' + (i % 100)]) {
          const known = counts.hold(name)
          const place = known === -1 ? counts.add() : known
          counts.counts[place] += 1
          counts.release()
        }
      }
      tell('done')
    `
    const rounds = 100_000
    await inThreads(4, source, { module, memory: counts.memory, rounds })
    assert.equal(countOf(counts, 'all'), 4 * rounds)
    for (let i = 0; i < 100; i++) assert.equal(countOf(counts, `name ${i}`), (4 * rounds) / 100)
  })

  test('that wait go on as soon as the other one is done', async () => {
    const counts = new SharedCounts(SharedCounts.memoryFor(8))
    const source = `
      const { SharedCounts } = await import(workerData.module)
      const counts = new SharedCounts(workerData.memory)
      const begin = performance.now()
      counts.hold('a')
      counts.release()
      tell(performance.now() - begin)
    `
    counts.hold('a')
    const waited = inThreads<number>(1, source, { module, memory: counts.memory })
    await new Promise(resolve => setTimeout(resolve, 300))
    counts.release()
    const [waitedMs] = await waited
    assert.ok(waitedMs! < 900, `${waitedMs} ms`)
  })

  test('go on after a while when one of them has ended while it kept the others out', () => {
    const { counts } = fullRow()
    const ended = new SharedCounts(counts.memory)
    ended.hold('name 3')
    const begin = performance.now()
    assert.equal(countOf(counts, 'name 3'), 3)
    assert.ok(performance.now() - begin > 900)
    const again = performance.now()
    assert.equal(countOf(counts, 'name 4'), 4)
    assert.ok(performance.now() - again < 500)
  })
})
