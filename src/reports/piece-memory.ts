/**
 * Remembers pieces of answers, as bytes, by the number of what they spell. A page of events is made of two hundred, mostly the same again
 * and again: they lie behind each other, equal ones once, so that copying one takes a few words, and the garbage collector has
 * nothing to look at (row 4 of docs/performance.md).
 */

/** Numbers that follow each other are of one site more often than not, so that their places lie together in a part. */
const partBits = 10
const partSize = 2 ** partBits
const partMask = partSize - 1

const wordsAtFirst = 2 ** 14

/** Texts of which equal ones are found. */
const textsMax = 10_000

/** Bytes that are written beyond the end of a piece at the most: they are copied by eight. */
export const copiedBeyond = 7

/** Gives back the same words, in a longer array where they are fewer than `length`. */
export type MakeRoom = (words: Uint32Array, length: number) => Uint32Array

/** For texts that never change and numbers below 2^32 that are not given to other texts: nothing can go stale. */
export class PieceMemory {
  readonly #bytesMax: number
  readonly #roomForWords: MakeRoom
  /** Where the part of a number begins in `#slots`; the first part is that of all numbers that have none, and stays empty. */
  #parts: Uint32Array = new Uint32Array(1)
  /** Places by number. */
  #slots: Uint32Array = new Uint32Array(partSize)
  #slotsEnd = partSize
  /** A place is the index of the piece's length in bytes; its bytes follow. Nothing lies at place 0. */
  #words: Uint32Array
  #end = 1
  readonly #places = new Map<string, number>()

  /** `roomForWords`: where the words are to lie in memory that others read as well. */
  constructor(bytesMax: number, roomForWords: MakeRoom = withRoom) {
    this.#bytesMax = bytesMax
    this.#roomForWords = roomForWords
    this.#words = roomForWords(new Uint32Array(), wordsAtFirst)
  }

  /** To be called before a page: beyond the bound it starts again empty, and places given before are void. */
  begin(): void {
    if ((this.#end + this.#slotsEnd) * 4 <= this.#bytesMax) return
    this.#parts.fill(0)
    this.#slots.fill(0)
    this.#slotsEnd = partSize
    this.#end = 1
    this.#places.clear()
  }

  /** The place of the piece of a number, or 0. */
  find(number: number): number {
    const part = number >>> partBits
    return part < this.#parts.length ? this.#slots[this.#parts[part]! + (number & partMask)]! : 0
  }

  /** The places of the pieces of many numbers; false when some were not found. */
  findAll(numbers: Uint32Array, count: number, places: Uint32Array): boolean {
    const parts = this.#parts
    const slots = this.#slots
    let areFound = true
    for (let i = 0; i < count; i++) {
      const number = numbers[i]!
      const part = number >>> partBits
      const place = part < parts.length ? slots[parts[part]! + (number & partMask)]! : 0
      places[i] = place
      if (place === 0) areFound = false
    }
    return areFound
  }

  /** Gives the place back. */
  remember(number: number, text: string): number {
    const place = this.#places.get(text) ?? this.#append(text)
    const part = number >>> partBits
    this.#parts = withRoom(this.#parts, part + 1)
    if (this.#parts[part] === 0) {
      this.#parts[part] = this.#slotsEnd
      this.#slotsEnd += partSize
      this.#slots = withRoom(this.#slots, this.#slotsEnd)
    }
    this.#slots[this.#parts[part]! + (number & partMask)] = place
    return place
  }

  /** How long pieces are together, in bytes. */
  lengthOf(places: Uint32Array, count: number): number {
    const words = this.#words
    let bytes = 0
    for (let i = 0; i < count; i++) bytes += words[places[i]!]!
    return bytes
  }

  /** Writes the piece and up to `copiedBeyond` bytes more; gives back where the piece ends. */
  copy(place: number, target: DataView, from: number): number {
    const words = this.#words
    const end = from + words[place]!
    // Two words a turn take a quarter of the time of one.
    for (let at = from, word = place + 1; at < end; at += 8, word += 2) {
      target.setUint32(at, words[word]!, true)
      target.setUint32(at + 4, words[word + 1]!, true)
    }
    return end
  }

  #append(text: string): number {
    const bytes = Buffer.from(text)
    const place = this.#end
    // An even number of words, since they are copied by two.
    this.#end += 1 + Math.ceil(bytes.length / 8) * 2
    this.#words = this.#roomForWords(this.#words, this.#end)
    this.#words[place] = bytes.length
    new Uint8Array(this.#words.buffer).set(bytes, (place + 1) * 4)
    if (this.#places.size >= textsMax) this.#places.clear()
    this.#places.set(text, place)
    return place
  }
}

function withRoom(array: Uint32Array, length: number): Uint32Array {
  if (length <= array.length) return array
  const longer = new Uint32Array(2 ** Math.ceil(Math.log2(length)))
  longer.set(array)
  return longer
}
