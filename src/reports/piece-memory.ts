/**
 * Remembers pieces of answers, as bytes, by the number of what they spell. A page of events is made of two hundred, mostly the same again
 * and again: they lie in a few large blocks, where copying one takes a few words and the garbage collector has nothing to look
 * at (row 4 of docs/performance.md).
 */

/** Of a block of 1 MiB; every piece fits in one. */
const blockBits = 18
const blockWords = 2 ** blockBits
const blockMask = blockWords - 1

/** Places of numbers that follow each other, which are of one site more often than not. */
const partBits = 10
const partMask = 2 ** partBits - 1

/** Bytes that are written beyond the end of a piece at the most: they are copied by eight. */
export const copiedBeyond = 7

/** For texts that never change and numbers below 2^32 that are not given to other texts: nothing can go stale. */
export class PieceMemory {
  readonly #bytesMax: number
  #blocks: Uint32Array[] = []
  #parts: (Uint32Array | undefined)[] = []
  #bytes = 0
  /** Where the next piece begins in the last block. */
  #end = blockWords

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** To be called before a page: beyond the bound it starts again empty, and places given before are void. */
  begin(): void {
    if (this.#bytes <= this.#bytesMax) return
    this.#blocks = []
    this.#parts = []
    this.#bytes = 0
    this.#end = blockWords
  }

  /** The place of the piece of a number, or 0. */
  find(number: number): number {
    const part = this.#parts[number >>> partBits]
    return part === undefined ? 0 : part[number & partMask]!
  }

  /** Gives the place back. */
  remember(number: number, text: string): number {
    const bytes = Buffer.from(text)
    // Its length, and an even number of words, since pieces are copied by two.
    const words = 1 + Math.ceil(bytes.length / 8) * 2
    if (this.#end + words > blockWords) {
      this.#blocks.push(new Uint32Array(blockWords))
      // No piece lies at place 0.
      this.#end = 1
    }
    const block = this.#blocks.at(-1)!
    const place = (this.#blocks.length - 1) * blockWords + this.#end
    block[this.#end] = bytes.length
    new Uint8Array(block.buffer, (this.#end + 1) * 4).set(bytes)
    this.#end += words
    this.#bytes += words * 4
    this.#partOf(number)[number & partMask] = place
    return place
  }

  lengthAt(place: number): number {
    return this.#blocks[place >>> blockBits]![place & blockMask]!
  }

  /** Writes the piece and up to `copiedBeyond` bytes more; gives back where the piece ends. */
  copy(place: number, target: DataView, from: number): number {
    const block = this.#blocks[place >>> blockBits]!
    let word = place & blockMask
    const end = from + block[word]!
    // Two words a turn take a quarter of the time of one.
    for (let at = from; at < end; at += 8) {
      target.setUint32(at, block[++word]!, true)
      target.setUint32(at + 4, block[++word]!, true)
    }
    return end
  }

  #partOf(number: number): Uint32Array {
    let part = this.#parts[number >>> partBits]
    if (part === undefined) {
      part = new Uint32Array(2 ** partBits)
      this.#parts[number >>> partBits] = part
      this.#bytes += part.byteLength
    }
    return part
  }
}
