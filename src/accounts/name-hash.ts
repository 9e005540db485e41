/**
 * 64 bits that stand for a name: HalfSipHash-1-3, which nobody can predict without its seed, and which costs less than a call of
 * `node:crypto`.
 */

const closingRounds = 3

export class NameHash {
  readonly #seed: Int32Array
  /** The two halves of what `read` made. */
  low = 0
  high = 0

  /** @param seed two random numbers: whoever has the same gets the same hashes. */
  constructor(seed: Int32Array) {
    this.#seed = seed
  }

  read(name: string): void {
    const [k0 = 0, k1 = 0] = this.#seed
    let v0 = k0
    let v1 = k1 ^ 0xee
    let v2 = k0 ^ 0x6c796765
    let v3 = k1 ^ 0x74656462
    // Two characters a word, and the length in the last one.
    const words = (name.length >> 1) + 1
    const steps = words + 2 * closingRounds
    for (let step = 0; step < steps; step++) {
      let word = 0
      if (step < words - 1) word = name.charCodeAt(2 * step) | (name.charCodeAt(2 * step + 1) << 16)
      else if (step === words - 1)
        word = (name.length & 1 ? name.charCodeAt(2 * step) : 0) | (name.length << 16)
      else if (step === words) v2 ^= 0xee
      else if (step === words + closingRounds) {
        this.low = v1 ^ v3
        v1 ^= 0xdd
      }
      v3 ^= word
      v0 = (v0 + v1) | 0
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
      v0 = (v0 << 16) | (v0 >>> 16)
      v2 = (v2 + v3) | 0
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
      v0 = (v0 + v3) | 0
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
      v2 = (v2 + v1) | 0
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
      v2 = (v2 << 16) | (v2 >>> 16)
      v0 ^= word
    }
    this.high = v1 ^ v3
  }
}
