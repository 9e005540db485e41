/**
 * Memory that answers are put together in, used again once they are sent. V8 counts memory beside its heap until it is collected: new
 * memory for each of thousands of answers a second made it go through the whole heap eight times a second (row 4 of docs/performance.md).
 */

/** Longer answers have memory of their own. */
const bufferBytes = 32_768
/** So much is kept for answers to come. */
const keptMax = 64

export class AnswerBuffers {
  readonly #free: ArrayBuffer[] = []

  /** With room for so many bytes, of whatever content. */
  lend(bytes: number): ArrayBuffer {
    return bytes > bufferBytes ? new ArrayBuffer(bytes) : (this.#free.pop() ?? new ArrayBuffer(bufferBytes))
  }

  /** To be called once at the most for what was lent, when nobody reads it any more; what never comes back is collected. */
  giveBack(buffer: ArrayBufferLike): void {
    if (buffer instanceof ArrayBuffer && buffer.byteLength === bufferBytes && this.#free.length < keptMax)
      this.#free.push(buffer)
  }
}
