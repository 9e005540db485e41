/** Limits the memory that all deliveries of drains use at the same time. */
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
  readonly #bytesMax: number
  readonly #ownerBytesMax: number
  readonly #owners = new Map<string, Owner>()
  #bytes = 0

  /** One delivery alone may take all; several of one owner together no more than `ownerBytesMax`, so that others get theirs. */
  constructor(bytesMax: number, ownerBytesMax: number) {
    this.#bytesMax = bytesMax
    this.#ownerBytesMax = ownerBytesMax
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
        if (isTooMuch || this.#bytes + bytes > this.#bytesMax) {
          throw new AppError('OVERLOADED', 'Too much is being delivered at once; send it again later.', {
            retryAfterSeconds,
          })
        }
        this.#bytes += bytes
        owner.bytes += bytes
        claimed += bytes
      },
      release: () => {
        if (!isHeld) return
        isHeld = false
        this.#bytes -= claimed
        owner.bytes -= claimed
        if (--owner.claims === 0) this.#owners.delete(name)
      },
    }
  }
}
