/**
 * Remembers what was made of bytes seen lately. Lines of a log repeat each other's fields, and finding a value by bytes costs a
 * third of making a text to find it by (row 9 of docs/performance.md).
 */

export const slots = 2 ** 14
/** Half of the slots: an empty one is then always near. */
const rememberedMax = slots / 2
const keptBytes = 2 ** 20
/** Longer fields are made each time: strangers must not push out the others. */
export const longestRemembered = 1024
export const wordLength = 4

/** Fields of one byte. */
const singles = 256
const columnBytes = (rememberedMax + 1) * 4

/** Where the parts of a table lie in it, for those who look into it by other means (known-verdicts.ts). */
export const tableParts = {
  numbersAt: 0,
  hashesAt: slots * 2,
  startsAt: slots * 2 + columnBytes,
  lengthsAt: slots * 2 + 2 * columnBytes,
  codesAt: slots * 2 + 3 * columnBytes,
  codesOfOneAt: slots * 2 + 4 * columnBytes,
  keptAt: slots * 2 + 4 * columnBytes + singles * 4,
}
export const tableBytes = tableParts.keptAt + keptBytes

export interface TableOptions<Value> {
  readonly buffer: ArrayBuffer
  readonly at: number
  /** A number that is kept beside the value; 0 stands for none. */
  readonly codeOf: (value: Value) => number
}

/** At most 8,192 values or 1 MiB of bytes; when either is reached, it begins anew. */
export class ByteMemory<Value> {
  readonly #make: (bytes: Buffer, from: number, to: number) => Value
  readonly #codeOf: (value: Value) => number
  readonly #kept: Buffer
  readonly #keptView: DataView
  #keptTo = 0
  /** By slot: number of the value, from 1; 0 where there is none. */
  readonly #numbers: Uint16Array
  readonly #hashes: Int32Array
  readonly #starts: Int32Array
  readonly #lengths: Int32Array
  readonly #codes: Int32Array
  readonly #codesOfOne: Int32Array
  #values: Value[] = []
  #count = 0
  /** By their only byte: `-` is most common of all. */
  readonly #single: (Value | undefined)[] = new Array(singles).fill(undefined)

  /** `make` is a pure function of the bytes. */
  constructor(
    make: (bytes: Buffer, from: number, to: number) => Value,
    { buffer, at, codeOf }: TableOptions<Value> = ownTable(),
  ) {
    const column = (partAt: number): Int32Array => new Int32Array(buffer, at + partAt, rememberedMax + 1)
    this.#make = make
    this.#codeOf = codeOf
    this.#numbers = new Uint16Array(buffer, at + tableParts.numbersAt, slots)
    this.#hashes = column(tableParts.hashesAt)
    this.#starts = column(tableParts.startsAt)
    this.#lengths = column(tableParts.lengthsAt)
    this.#codes = column(tableParts.codesAt)
    this.#codesOfOne = new Int32Array(buffer, at + tableParts.codesOfOneAt, singles)
    this.#kept = Buffer.from(buffer, at + tableParts.keptAt, keptBytes)
    this.#keptView = viewOf(this.#kept)
  }

  /** What is made of the bytes between `from` and `to`; `view` shows the same bytes. */
  of(bytes: Buffer, view: DataView, from: number, to: number): Value {
    const length = to - from
    if (length === 1) return this.#ofOne(bytes, from)
    if (length < wordLength || length > longestRemembered) return this.#make(bytes, from, to)
    const hash = hashOf(view, from, to)
    let slot = hash & (slots - 1)
    for (;;) {
      const number = this.#numbers[slot]!
      if (number === 0) break
      if (
        this.#hashes[number] === hash &&
        this.#lengths[number] === length &&
        areSame(view, from, this.#keptView, this.#starts[number]!, length)
      ) {
        return this.#values[number]!
      }
      slot = (slot + 1) & (slots - 1)
    }
    const value = this.#make(bytes, from, to)
    if (this.#count === rememberedMax || this.#keptTo + length > keptBytes) {
      this.#forget()
      slot = hash & (slots - 1)
    }
    this.#remember(slot, hash, value, bytes, from, to)
    return value
  }

  #ofOne(bytes: Buffer, at: number): Value {
    const known = this.#single[bytes[at]!]
    if (known !== undefined) return known
    const value = this.#make(bytes, at, at + 1)
    this.#codesOfOne[bytes[at]!] = this.#codeOf(value)
    this.#single[bytes[at]!] = value
    return value
  }

  #remember(slot: number, hash: number, value: Value, bytes: Buffer, from: number, to: number): void {
    const number = ++this.#count
    this.#numbers[slot] = number
    this.#hashes[number] = hash
    this.#starts[number] = this.#keptTo
    this.#lengths[number] = to - from
    this.#codes[number] = this.#codeOf(value)
    this.#values[number] = value
    this.#keptTo += bytes.copy(this.#kept, this.#keptTo, from, to)
  }

  #forget(): void {
    this.#numbers.fill(0)
    this.#values = []
    this.#count = 0
    this.#keptTo = 0
  }
}

const ownTable = () => ({ buffer: new ArrayBuffer(tableBytes), at: 0, codeOf: () => 0 })

export const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView =>
  new DataView(buffer, byteOffset, length)

/** Of at least four bytes; the last word may overlap the one before. Four words at a time: they need not wait for each other. */
function hashOf(view: DataView, from: number, to: number): number {
  let hash = to - from
  let at = from
  for (; at + 16 <= to; at += 16) {
    hash =
      (Math.imul(hash, 0x2c1b3c6d) +
        Math.imul(view.getInt32(at, true), 0x297a2d39) +
        Math.imul(view.getInt32(at + 4, true), 0x165667b1) +
        Math.imul(view.getInt32(at + 8, true), 0x85ebca6b) +
        view.getInt32(at + 12, true)) |
      0
  }
  for (; at + wordLength < to; at += wordLength) hash = mix(hash, view.getInt32(at, true))
  hash = mix(hash, view.getInt32(to - wordLength, true))
  return hash ^ (hash >>> 16)
}

const mix = (hash: number, word: number): number => Math.imul((hash << 5) - hash + word, 0x9e3779b1)

function areSame(a: DataView, aFrom: number, b: DataView, bFrom: number, length: number): boolean {
  const last = length - wordLength
  for (let at = 0; at < last; at += wordLength) {
    if (a.getInt32(aFrom + at, true) !== b.getInt32(bFrom + at, true)) return false
  }
  return a.getInt32(aFrom + last, true) === b.getInt32(bFrom + last, true)
}
