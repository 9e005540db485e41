/**
 * Memory in which long answers are put together, used again as soon as an answer is with the operating system: the garbage
 * collector hurries after every new Buffer of such a length, which took longer than all the rest (row 3 of docs/performance.md).
 */

const leastBytes = 65_536
/** Longer ones are not kept. */
const mostBytes = 2 ** 20

export class AnswerBytes {
  /** Nobody's at the moment. */
  #spare: ArrayBuffer | null = null
  /** Somebody's. */
  readonly #taken = new WeakSet<ArrayBuffer>()

  /** Has anything in it, and is to be overwritten as a whole. Nobody else gets this memory until it is given back. */
  take(length: number): Buffer {
    let memory = this.#spare
    if (memory !== null && memory.byteLength >= length) this.#spare = null
    else memory = Buffer.allocUnsafeSlow(Math.max(length, leastBytes)).buffer
    this.#taken.add(memory)
    return Buffer.from(memory, 0, length)
  }

  /** For who knows that nobody reads these bytes any more; does nothing with what was not taken here. */
  giveBack({ buffer }: Buffer): void {
    if (!this.#taken.delete(buffer as ArrayBuffer) || buffer.byteLength > mostBytes) return
    this.#spare = buffer as ArrayBuffer
  }
}
