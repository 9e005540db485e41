/** Gives numbers that lie anywhere a dense index from 0 on, in the order of their coming: a Map costs three times as much. */
export class NumberIndex {
  readonly keys: number[] = []
  #slots = new Int32Array(256).fill(-1)

  get size(): number {
    return this.keys.length
  }

  of(key: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    let hash = Math.imul(key, 0x9e3779b1)
    hash ^= hash >>> 15
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const index = slots[slot]!
      if (index === -1) {
        slots[slot] = this.keys.length
        const added = this.keys.push(key) - 1
        if (this.keys.length * 2 > slots.length) this.#grow()
        return added
      }
      if (this.keys[index] === key) return index
    }
  }

  #grow(): void {
    const keys = this.keys.splice(0)
    this.#slots = new Int32Array(this.#slots.length * 4).fill(-1)
    for (const key of keys) this.of(key)
  }
}
