/** Bounds the memory that all deliveries of drains hold at the same moment. */
import { AppError } from '../../domain/errors.ts'

const retryAfterSeconds = 10

export interface MemoryClaim {
  /** Throws OVERLOADED when all deliveries together, or several of one owner, would hold more than their budget. */
  grow(bytes: number): void
  /** Gives everything back, once. */
  release(): void
}

interface Owner {
  claims: number
  bytes: number
}

export class MemoryBudget {
  /** With the memory of another one, which may belong to another thread, both have one budget. */
  readonly memory: SharedArrayBuffer
  readonly #bytesMax: number
  readonly #ownerBytesMax: number
  readonly #bytes: Int32Array
  readonly #owners = new Map<string, Owner>()

  /**
   * One delivery alone may take all; several of one owner together no more than `ownerBytesMax`, so that others get theirs. That is counted
   * by each thread for itself: there are few of them, and the whole holds for all. `bytesMax` is less than 2 GiB.
   */
  constructor(bytesMax: number, ownerBytesMax: number, memory = new SharedArrayBuffer(4)) {
    this.#bytesMax = bytesMax
    this.#ownerBytesMax = ownerBytesMax
    this.memory = memory
    this.#bytes = new Int32Array(memory)
  }

  claim(name: string): MemoryClaim {
    const owner = this.#owners.get(name) ?? { claims: 0, bytes: 0 }
    this.#owners.set(name, owner)
    owner.claims++
    let claimed = 0
    let isHeld = true
    return {
      grow: bytes => {
        const isTooMuch = owner.claims > 1 && owner.bytes + bytes > this.#ownerBytesMax
        if (isTooMuch || !this.#take(bytes)) {
          throw new AppError('OVERLOADED', 'Too much is being delivered at once; send it again later.', {
            retryAfterSeconds,
          })
        }
        owner.bytes += bytes
        claimed += bytes
      },
      release: () => {
        if (!isHeld) return
        isHeld = false
        Atomics.sub(this.#bytes, 0, claimed)
        owner.bytes -= claimed
        if (--owner.claims === 0) this.#owners.delete(name)
      },
    }
  }

  /** Whether so many bytes were free, and are taken now. */
  #take(bytes: number): boolean {
    for (;;) {
      const before = Atomics.load(this.#bytes, 0)
      if (before + bytes > this.#bytesMax) return false
      if (Atomics.compareExchange(this.#bytes, 0, before, before + bytes) === before) return true
    }
  }
}
