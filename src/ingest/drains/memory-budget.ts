/** Bounds the memory that all deliveries of drains hold at the same moment. */
import { AppError } from '../../domain/errors.ts'

const retryAfterSeconds = 10

export interface MemoryClaim {
  /** Throws OVERLOADED when all deliveries together would hold more than the budget. */
  grow(bytes: number): void
  /** Gives everything back. */
  release(): void
}

export class MemoryBudget {
  readonly #bytesMax: number
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  claim(): MemoryClaim {
    let claimed = 0
    return {
      grow: bytes => {
        if (this.#bytes + bytes > this.#bytesMax) {
          throw new AppError('OVERLOADED', 'Too much is being delivered at once; send it again later.', {
            retryAfterSeconds,
          })
        }
        this.#bytes += bytes
        claimed += bytes
      },
      release: () => {
        this.#bytes -= claimed
        claimed = 0
      },
    }
  }
}
