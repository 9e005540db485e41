/**
 * Finds the bytes that give a log line its shape, sixteen at a time: looking at each byte by itself was half of the time that an
 * import took (row 9 of docs/performance.md). JavaScript has no such instructions, so this is a function of WebAssembly, put
 * down instruction by instruction; a test holds it to what a simple loop finds.
 */

/** What this file needs of WebAssembly, which has no types without those of browsers. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (
    module: object,
  ) => { readonly exports: { readonly scan: Scan; readonly memory: { readonly buffer: ArrayBuffer } } }
}

/** Writes where the marks between `from` and `to` lie, four bytes each, from `out` on; returns where that ends. */
type Scan = (from: number, to: number, out: number) => number

/** Bytes that are looked at in one go: they and their marks stay near the processor. */
export const markedLength = 32 * 1024
const step = 16
const pageLength = 64 * 1024
/** Every byte may be a mark, and two places more than there are marks may be written. */
const marksAt = pageLength
const pages = 1 + Math.ceil(((markedLength + 2) * 4) / pageLength)

/** `"`, `#`, `?`, the backslash, control characters (ends of lines among them), and all that is not ASCII. */
export const isMark = (byte: number): boolean =>
  byte < 32 || byte > 127 || byte === 34 || byte === 35 || byte === 63 || byte === 92

export class ByteMarks {
  readonly #scan: Scan
  readonly #bytes: Buffer
  /** Where the marks found last lie, from the beginning of what was scanned. */
  readonly places: Int32Array

  constructor() {
    const { scan, memory } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes())).exports
    this.#scan = scan
    this.#bytes = Buffer.from(memory.buffer, 0, markedLength + step)
    this.places = new Int32Array(memory.buffer, marksAt, markedLength + 2)
  }

  /** Finds the marks between `from` and `to`, at most markedLength bytes, and returns how many there are. */
  find(bytes: Buffer, from: number, to: number): number {
    const length = bytes.copy(this.#bytes, 0, from, to)
    // The last step may look at bytes behind the end.
    this.#bytes.fill(' ', length, length + step)
    return (this.#scan(0, length, marksAt) - marksAt) / 4
  }
}

/** Locals of the function, by number. */
const from = 0
const to = 1
const out = 2
const sixteen = 3
const mask = 4
const end = 5

const get = (local: number): number[] => [0x20, local]
const set = (local: number): number[] => [0x21, local]
const tee = (local: number): number[] => [0x22, local]
/** i32.const, of less than 128. */
const number = (value: number): number[] => [0x41, ...(value < 64 ? [value] : [value | 0x80, 0])]
const add = [0x6a]
const block = [0x02, 0x40]
const loop = [0x03, 0x40]
const close = [0x0b]
/** To the end of a block or the beginning of a loop: of the innermost, or of one around it. */
const goTo = (outwards: number): number[] => [0x0c, outwards]
const goToIf = (outwards: number): number[] => [0x0d, outwards]

/** i8x16.splat, i8x16.eq, v128.or */
const inAll = (byte: number): number[] => [...number(byte), 0xfd, 0x0f]
const equals = (byte: number): number[] => [...inAll(byte), 0xfd, 0x23]
const or = [0xfd, 0x50]

/** Writes the place of the lowest bit of the mask (i32.ctz, i32.store) behind `offset` bytes of `out`. */
const writePlace = (offset: number): number[] => [
  ...get(out),
  ...[...get(from), ...get(mask), 0x68, ...add],
  ...[0x36, 2, offset],
]
/** mask & (mask - 1) */
const dropLowest = [...get(mask), ...get(mask), ...number(1), 0x6b, 0x71, ...set(mask)]

const body = [
  ...block,
  ...loop,
  // Until from >= to (i32.ge_u).
  ...[...get(from), ...get(to), 0x4f, ...goToIf(1)],
  // v128.load; i8x16.lt_s: below the space, or negative, which is what is not ASCII.
  ...[...get(from), 0xfd, 0x00, 0, 0, ...tee(sixteen), ...inAll(32), 0xfd, 0x25],
  // `"` and `#` differ in the lowest bit.
  ...[...get(sixteen), ...inAll(1), ...or, ...equals(35), ...or],
  ...[...get(sixteen), ...equals(63), ...or],
  ...[...get(sixteen), ...equals(92), ...or],
  // A bit for each of the sixteen (i8x16.bitmask).
  ...[0xfd, 0x64, ...set(mask)],
  // end = out + (popcnt(mask) << 2)
  ...[...get(out), ...get(mask), 0x69, ...number(2), 0x74, ...add, ...set(end)],
  // There are seldom more than two: writing two in any case costs less than asking.
  ...[...writePlace(0), ...dropLowest, ...writePlace(4), ...dropLowest],
  ...block,
  // i32.eqz
  ...[...get(mask), 0x45, ...goToIf(0)],
  ...loop,
  ...[...writePlace(8), ...dropLowest],
  ...[...get(out), ...number(4), ...add, ...set(out)],
  ...[...get(mask), ...goToIf(0)],
  ...close,
  ...close,
  ...[...get(end), ...set(out)],
  ...[...get(from), ...number(step), ...add, ...set(from)],
  ...goTo(0),
  ...close,
  ...close,
  ...get(out),
  ...close,
]

function moduleBytes(): Uint8Array {
  const [i32, v128] = [0x7f, 0x7b]
  const text = (name: string): number[] => [name.length, ...Buffer.from(name)]
  const code = [...[2, 1, v128, 2, i32], ...body]
  return Uint8Array.from([
    ...[...text('\0asm').slice(1), 1, 0, 0, 0],
    ...section(1, [1, 0x60, ...[3, i32, i32, i32], ...[1, i32]]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, pages]),
    ...section(7, [2, ...text('scan'), 0, 0, ...text('memory'), 2, 0]),
    ...section(10, [1, ...size(code.length), ...code]),
  ])
}

const section = (id: number, content: readonly number[]): number[] => [
  id,
  ...size(content.length),
  ...content,
]

/** Of less than 2^14 bytes. */
const size = (length: number): number[] => (length < 128 ? [length] : [(length & 127) | 0x80, length >> 7])
