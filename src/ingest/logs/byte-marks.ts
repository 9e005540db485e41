/**
 * Finds the bytes that give a log line its shape, sixty-four at a time: looking at each byte by itself was half of the time that an
 * import took (row 9 of docs/performance.md). JavaScript has no such instructions, so this is a function of WebAssembly, put
 * down instruction by instruction; a test holds it to what a simple loop finds.
 */

import {
  add,
  block,
  close,
  compile,
  get,
  goTo,
  goToIf,
  i32,
  i64,
  isFromOn,
  isZero,
  loadSixteen,
  long,
  longAnd,
  longIsZero,
  longOr,
  longShiftLeft,
  longSubtract,
  longTrailingZeros,
  loop,
  newMemory,
  number,
  set,
  shiftLeft,
  store,
  tee,
  toLong,
  toShort,
  v128,
  type WasmMemory,
} from '../../wasm-code.ts'

/** Writes where the marks between `from` and `to` lie, four bytes each, from `out` on; returns where that ends. */
type Scan = (from: number, to: number, out: number) => number

/** Bytes that are looked at in one go: they and their marks stay near the processor. */
export const markedLength = 32 * 1024
const step = 64
/** Places that are written whether there are so many or not. */
const placesAtOnce = 4
/** Where the marks found last lie in the memory, the bytes being at its beginning. */
export const marksAt = 64 * 1024
/** Every byte may be a mark, and so many places more than there are marks may be written. */
const placesMax = markedLength + placesAtOnce

/** `"`, `#`, `?`, the backslash, control characters (ends of lines among them), and all that is not ASCII. */
export const isMark = (byte: number): boolean =>
  byte < 32 || byte > 127 || byte === 34 || byte === 35 || byte === 63 || byte === 92

export class ByteMarks {
  /** The bytes that were scanned last, a space behind them, and the places of the marks among them. */
  readonly memory: WasmMemory = newMemory(marksAt + placesMax * 4)
  readonly #scan: Scan = compile(
    [this.memory],
    [{ parameters: [i32, i32, i32], result: i32, locals: [v128, i64, i32], instructions }],
  )
  readonly #bytes = Buffer.from(this.memory.buffer, 0, markedLength + step)
  /** Where the marks found last lie, from the beginning of what was scanned. */
  readonly places = new Int32Array(this.memory.buffer, marksAt, placesMax)

  /** Finds the marks between `from` and `to`, at most markedLength bytes, and returns how many there are. */
  find(bytes: Buffer, from: number, to: number): number {
    const length = bytes.copy(this.#bytes, 0, from, to)
    // The last step may look at bytes behind the end.
    this.#bytes.fill(' ', length, length + step)
    const count = (this.#scan(0, length, marksAt) - marksAt) / 4
    // The space behind the bytes: whoever goes from mark to mark ends there.
    this.places[count] = length
    return count
  }
}

/** Locals of the function, by number. */
const [from, to, out, sixteen, mask, end] = [0, 1, 2, 3, 4, 5]

/** i8x16.splat, i8x16.eq, v128.or */
const inAll = (byte: number): number[] => [...number(byte), 0xfd, 0x0f]
const equals = (byte: number): number[] => [...inAll(byte), 0xfd, 0x23]
const eitherOf = [0xfd, 0x50]

/** Adds to the mask a bit for each mark among the sixteen bytes behind `offset` bytes of `from`. */
const maskOfSixteen = (offset: number): number[] => [
  // i8x16.lt_s: below the space, or negative, which is what is not ASCII.
  ...[...get(from), ...loadSixteen(offset), ...tee(sixteen), ...inAll(32), 0xfd, 0x25],
  // `"` and `#` differ in the lowest bit.
  ...[...get(sixteen), ...inAll(1), ...eitherOf, ...equals(35), ...eitherOf],
  ...[...get(sixteen), ...equals(63), ...eitherOf],
  ...[...get(sixteen), ...equals(92), ...eitherOf],
  // i8x16.bitmask
  ...[0xfd, 0x64, toLong],
  ...(offset === 0 ? [] : [...long(BigInt(offset)), longShiftLeft, ...get(mask), longOr]),
  ...set(mask),
]

/** Writes the place of the lowest bit of the mask behind `offset` bytes of `out`. */
const writePlace = (offset: number): number[] => [
  ...get(out),
  ...[...get(from), ...get(mask), longTrailingZeros, toShort, add],
  ...store(offset),
]
/** mask & (mask - 1) */
const dropLowest = [...get(mask), ...get(mask), ...long(1n), longSubtract, longAnd, ...set(mask)]

const instructions = [
  ...block,
  ...loop,
  ...[...get(from), ...get(to), isFromOn, ...goToIf(1)],
  ...[0, 16, 32, 48].flatMap(maskOfSixteen),
  // end = out + (i64.popcnt(mask) << 2)
  ...[...get(out), ...get(mask), 0x7b, toShort, ...number(2), shiftLeft, add, ...set(end)],
  // There are seldom more: writing so many in any case costs less than asking.
  ...Array.from({ length: placesAtOnce }, (_, place) => [...writePlace(place * 4), ...dropLowest]).flat(),
  ...block,
  ...[...get(mask), longIsZero, ...goToIf(0)],
  ...loop,
  ...[...writePlace(placesAtOnce * 4), ...dropLowest],
  ...[...get(out), ...number(4), add, ...set(out)],
  ...[...get(mask), longIsZero, isZero, ...goToIf(0)],
  ...close,
  ...close,
  ...[...get(end), ...set(out)],
  ...[...get(from), ...number(step), add, ...set(from)],
  ...goTo(0),
  ...close,
  ...close,
  ...get(out),
  ...close,
]
