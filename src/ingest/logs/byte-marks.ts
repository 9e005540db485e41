/**
 * Finds the bytes that give a log line its shape, sixteen at a time: looking at each byte by itself was half of the time that an
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
  isFromOn,
  isZero,
  loop,
  newMemory,
  number,
  set,
  shiftLeft,
  store,
  tee,
  v128,
  type WasmMemory,
} from '../../wasm-code.ts'

/** Writes where the marks between `from` and `to` lie, four bytes each, from `out` on; returns where that ends. */
type Scan = (from: number, to: number, out: number) => number

/** Bytes that are looked at in one go: they and their marks stay near the processor. */
export const markedLength = 32 * 1024
const step = 16
/** Where the marks found last lie in the memory, the bytes being at its beginning. */
export const marksAt = 64 * 1024
/** Every byte may be a mark, and two places more than there are marks may be written. */
const placesMax = markedLength + 2

/** `"`, `#`, `?`, the backslash, control characters (ends of lines among them), and all that is not ASCII. */
export const isMark = (byte: number): boolean =>
  byte < 32 || byte > 127 || byte === 34 || byte === 35 || byte === 63 || byte === 92

export class ByteMarks {
  /** The bytes that were scanned last, a space behind them, and the places of the marks among them. */
  readonly memory: WasmMemory = newMemory(marksAt + placesMax * 4)
  readonly #scan: Scan = compile(
    [this.memory],
    [{ parameters: [i32, i32, i32], result: i32, locals: [v128, i32, i32], instructions }],
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
const from = 0
const to = 1
const out = 2
const sixteen = 3
const mask = 4
const end = 5

/** i8x16.splat, i8x16.eq, v128.or */
const inAll = (byte: number): number[] => [...number(byte), 0xfd, 0x0f]
const equals = (byte: number): number[] => [...inAll(byte), 0xfd, 0x23]
const or = [0xfd, 0x50]

/** Writes the place of the lowest bit of the mask (i32.ctz) behind `offset` bytes of `out`. */
const writePlace = (offset: number): number[] => [
  ...get(out),
  ...[...get(from), ...get(mask), 0x68, add],
  ...store(offset),
]
/** mask & (mask - 1) */
const dropLowest = [...get(mask), ...get(mask), ...number(1), 0x6b, 0x71, ...set(mask)]

const instructions = [
  ...block,
  ...loop,
  ...[...get(from), ...get(to), isFromOn, ...goToIf(1)],
  // v128.load; i8x16.lt_s: below the space, or negative, which is what is not ASCII.
  ...[...get(from), 0xfd, 0x00, 0, 0, ...tee(sixteen), ...inAll(32), 0xfd, 0x25],
  // `"` and `#` differ in the lowest bit.
  ...[...get(sixteen), ...inAll(1), ...or, ...equals(35), ...or],
  ...[...get(sixteen), ...equals(63), ...or],
  ...[...get(sixteen), ...equals(92), ...or],
  // A bit for each of the sixteen (i8x16.bitmask).
  ...[0xfd, 0x64, ...set(mask)],
  // end = out + (popcnt(mask) << 2)
  ...[...get(out), ...get(mask), 0x69, ...number(2), shiftLeft, add, ...set(end)],
  // There are seldom more than two: writing two in any case costs less than asking.
  ...[...writePlace(0), ...dropLowest, ...writePlace(4), ...dropLowest],
  ...block,
  ...[...get(mask), isZero, ...goToIf(0)],
  ...loop,
  ...[...writePlace(8), ...dropLowest],
  ...[...get(out), ...number(4), add, ...set(out)],
  ...[...get(mask), ...goToIf(0)],
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
