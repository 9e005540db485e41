/** Gives numbers that lie anywhere a dense index from 0 on, in the order of their coming: a Map costs three times as much. */
export class NumberIndex {
  readonly keys: number[] = []
  /** Key plus one and index side by side, so that a look-up touches one place in memory; a key of 0 is a free slot. */
  #slots = new Float64Array(2 * 64)
  #mask = 63

  get size(): number {
    return this.keys.length
  }

  of(key: number): number {
    const slots = this.#slots
    const mask = this.#mask
    const sought = key + 1
    for (let slot = Math.imul(key, 0x9e3779b1) >>> 7; ; slot++) {
      const at = (slot & mask) * 2
      const found = slots[at]!
      if (found === sought) return slots[at + 1]!
      if (found !== 0) continue
      const added = this.keys.push(key) - 1
      slots[at] = sought
      slots[at + 1] = added
      if (this.keys.length * 2 > mask) this.#grow()
      return added
    }
  }

  #grow(): void {
    this.#mask = (this.#mask + 1) * 4 - 1
    this.#slots = new Float64Array(2 * (this.#mask + 1))
    for (const key of this.keys.splice(0)) this.of(key)
  }
}
