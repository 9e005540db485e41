/**
 * A time and a count by name, in memory that several threads use: a limit is one limit, whichever of them answers.
 *
 * Names lie in rows of 16 places and are known by 64 bits of a hash with a random seed. Two names with the same bits would share a count:
 * among 100,000 names that happens once in 3,000,000,000 servers, and nobody can look for such names without the seed. Nor can anybody
 * choose a row to fill.
 */
import { NameHash } from './name-hash.ts'

const rowLength = 16
/** The lock and the seed, away from what the processors' caches hold of the rest. */
const headBytes = 64
const bytesAPlace = Float64Array.BYTES_PER_ELEMENT + 3 * Int32Array.BYTES_PER_ELEMENT

const free = 0
const held = 1
const awaited = 2
const spins = 50
/** Between `hold` and `release` lies less than a microsecond: who has not come back by then was ended there, with its thread. */
const patienceMs = 1000

export class SharedCounts {
  /** Another thread makes its own object over the same memory. */
  readonly memory: SharedArrayBuffer
  /** By place; to be read and written between `hold` and `release` alone, as is `counts`. */
  readonly times: Float64Array
  readonly counts: Uint32Array
  readonly #lock: Int32Array
  readonly #hashes: Int32Array
  readonly #rowMask: number
  readonly #hash: NameHash
  /** The name asked for last, its row, and its place there if it has one: most are asked for several times in a row. */
  #name = ''
  #row = 0
  #place = 0

  constructor(memory: SharedArrayBuffer) {
    const places = (memory.byteLength - headBytes) / bytesAPlace
    this.memory = memory
    this.#lock = new Int32Array(memory, 0, 1)
    this.#hash = new NameHash(new Int32Array(memory, 4, 2))
    this.times = new Float64Array(memory, headBytes, places)
    this.#hashes = new Int32Array(memory, headBytes + this.times.byteLength, 2 * places)
    this.counts = new Uint32Array(memory, this.#hashes.byteOffset + this.#hashes.byteLength, places)
    this.#rowMask = places / rowLength - 1
    this.#look('')
  }

  /**
   * For that many names, and at most four times as many. Rows are filled by chance, so places are at least twice as many: one row in some
   * thousands is full before. Places that no name has had are never touched, and take no memory.
   */
  static memoryFor(names: number): SharedArrayBuffer {
    const rows = 2 ** Math.ceil(Math.log2((2 * names) / rowLength))
    const memory = new SharedArrayBuffer(headBytes + Math.max(1, rows) * rowLength * bytesAPlace)
    new Int32Array(memory, 4, 2).set(crypto.getRandomValues(new Int32Array(2)))
    return memory
  }

  /** Keeps the other threads out until `release`, which must follow at once. Returns the place of `name`, or -1. */
  hold(name: string): number {
    if (name !== this.#name) this.#look(name)
    this.#enter()
    if (this.#isAt(this.#place)) return this.#place
    for (let place = this.#row; place < this.#row + rowLength; place++) {
      if (!this.#isAt(place)) continue
      this.#place = place
      return place
    }
    return -1
  }

  /** A place for the name that `hold` has not found, with the count 0 and a time before all others. In a full row, the earliest time goes. */
  add(): number {
    const { times } = this
    let place = this.#row
    for (let other = place; other < this.#row + rowLength; other++) {
      if (this.#hashes[2 * other] === 0) {
        place = other
        break
      }
      if (times[other]! < times[place]!) place = other
    }
    this.#hashes[2 * place] = this.#hash.low
    this.#hashes[2 * place + 1] = this.#hash.high
    times[place] = -Infinity
    this.counts[place] = 0
    this.#place = place
    return place
  }

  remove(place: number): void {
    this.#hashes[2 * place] = 0
  }

  release(): void {
    if (Atomics.exchange(this.#lock, 0, free) === awaited) Atomics.notify(this.#lock, 0, 1)
  }

  #isAt(place: number): boolean {
    return this.#hashes[2 * place] === this.#hash.low && this.#hashes[2 * place + 1] === this.#hash.high
  }

  #look(name: string): void {
    this.#hash.read(name)
    // Zero marks a place without a name.
    if (this.#hash.low === 0) this.#hash.low = 1
    this.#name = name
    this.#row = (this.#hash.high & this.#rowMask) * rowLength
    this.#place = this.#row
  }

  #enter(): void {
    for (let spin = 0; spin < spins; spin++) {
      if (Atomics.compareExchange(this.#lock, 0, free, held) === free) return
      Atomics.pause()
    }
    while (Atomics.exchange(this.#lock, 0, awaited) !== free) {
      if (Atomics.wait(this.#lock, 0, awaited, patienceMs) === 'timed-out') return
    }
  }
}
