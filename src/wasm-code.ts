/**
 * Instructions of WebAssembly by name, for functions that are put down one by one: the marks and known lines of logs
 * (docs/decisions/0007-plain-lines.md), and the spelling of events.
 */

/** What is needed of WebAssembly here, which has no types without those of browsers. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number }) => WasmMemory
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (
    module: object,
    imports: object,
  ) => { readonly exports: Readonly<Record<string, never>> }
}

export const pageLength = 64 * 1024

export const newMemory = (bytes: number): WasmMemory =>
  new WebAssembly.Memory({ initial: Math.ceil(bytes / pageLength) })

export const [i32, i64, f64, v128] = [0x7f, 0x7e, 0x7c, 0x7b]

export const unsigned = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)]

/** Of a number that may be negative, seven bits a byte. */
function signed(value: bigint): number[] {
  const low = Number(value & 127n)
  const rest = value >> 7n
  const isLast = (rest === 0n && low < 64) || (rest === -1n && low >= 64)
  return isLast ? [low] : [low | 128, ...signed(rest)]
}

export const get = (local: number): number[] => [0x20, local]
export const set = (local: number): number[] => [0x21, local]
export const tee = (local: number): number[] => [0x22, local]
export const number = (value: number): number[] => [0x41, ...signed(BigInt(value | 0))]
export const long = (value: bigint): number[] => [0x42, ...signed(BigInt.asIntN(64, value))]

export const [add, subtract, multiply, and, or, xor, shiftLeft, shiftRight] = [
  0x6a, 0x6b, 0x6c, 0x71, 0x72, 0x73, 0x74, 0x76,
]
export const [isZero, isEqual, isOther, isBelow, isAbove, isAtMost, isAtLeast] = [
  0x45, 0x46, 0x47, 0x48, 0x4a, 0x4c, 0x4e,
]
/** Of numbers without a sign. */
export const [divide, rest, isUnder, isBeyond, isFromOn] = [0x6e, 0x70, 0x49, 0x4b, 0x4f]
export const [longIsZero, longIsOther, longAdd, longSubtract, longMultiply, longAnd, longOr, longXor] = [
  0x50, 0x52, 0x7c, 0x7d, 0x7e, 0x83, 0x84, 0x85,
]
/** Of long numbers without a sign. */
export const [longDivide, longRest, longIsFromOn] = [0x80, 0x82, 0x5a]
export const [longShiftLeft, longShiftRight, longTrailingZeros] = [0x86, 0x88, 0x7a]
export const [toShort, toLong, doubleToLong, doubleToShort, doubleSubtract] = [0xa7, 0xad, 0xb1, 0xab, 0xa1]

export const [block, loop, when, otherwise, close] = [
  [0x02, 0x40],
  [0x03, 0x40],
  [0x04, 0x40],
  [0x05],
  [0x0b],
]
/** To the end of a block or the beginning of a loop: of the innermost, or of one around it. */
export const goTo = (outwards: number): number[] => [0x0c, outwards]
export const goToIf = (outwards: number): number[] => [0x0d, outwards]
export const giveBack = 0x0f
export const call = (callee: number): number[] => [0x10, callee]

/** Bytes behind the address on the stack; addresses need no alignment. */
const at = (offset: number, memory: number): number[] => [0x40, memory, ...unsigned(offset)]
export const load = (offset = 0, memory = 0): number[] => [0x28, ...at(offset, memory)]
export const loadLong = (offset = 0, memory = 0): number[] => [0x29, ...at(offset, memory)]
export const loadDouble = (offset = 0, memory = 0): number[] => [0x2b, ...at(offset, memory)]
export const loadSixteen = (offset = 0, memory = 0): number[] => [0xfd, 0, ...at(offset, memory)]
export const loadSignedByte = (offset = 0, memory = 0): number[] => [0x2c, ...at(offset, memory)]
export const loadByte = (offset = 0, memory = 0): number[] => [0x2d, ...at(offset, memory)]
export const loadTwoBytes = (offset = 0, memory = 0): number[] => [0x2f, ...at(offset, memory)]
export const store = (offset = 0, memory = 0): number[] => [0x36, ...at(offset, memory)]
export const storeLong = (offset = 0, memory = 0): number[] => [0x37, ...at(offset, memory)]
export const storeByte = (offset = 0, memory = 0): number[] => [0x3a, ...at(offset, memory)]
export const storeTwoBytes = (offset = 0, memory = 0): number[] => [0x3b, ...at(offset, memory)]
export const storeSixteen = (offset = 0, memory = 0): number[] => [0xfd, 11, ...at(offset, memory)]

export interface WasmFunction {
  /** Types of what it takes, and of what it gives back. */
  readonly parameters: readonly number[]
  readonly result: number
  readonly locals: readonly number[]
  readonly instructions: readonly number[]
}

/** The last of the functions, which may call those before it, over the memories. */
export function compile<Function>(
  memories: readonly WasmMemory[],
  functions: readonly WasmFunction[],
): Function {
  const module = new WebAssembly.Module(moduleBytes(memories, functions))
  const imports = Object.fromEntries(memories.map((memory, place) => [place, memory]))
  return new WebAssembly.Instance(module, { m: imports }).exports.f as Function
}

function moduleBytes(memories: readonly WasmMemory[], functions: readonly WasmFunction[]): Uint8Array {
  const types = functions.map(({ parameters, result }) => [0x60, parameters.length, ...parameters, 1, result])
  const imported = memories.map((_, place) => [...text('m'), ...text(String(place)), 2, 0, 1])
  const codes = functions.map(({ locals, instructions }) => {
    const all = [locals.length, ...locals.flatMap(type => [1, type]), ...instructions]
    return [...unsigned(all.length), ...all]
  })
  return Uint8Array.from([
    ...[...text('\0asm').slice(1), 1, 0, 0, 0],
    ...section(1, types),
    ...section(2, imported),
    ...section(
      3,
      functions.map((_, place) => [place]),
    ),
    ...section(7, [[...text('f'), 0, functions.length - 1]]),
    ...section(10, codes),
  ])
}

const text = (name: string): number[] => [name.length, ...Buffer.from(name)]

function section(id: number, entries: readonly (readonly number[])[]): number[] {
  const content = [...unsigned(entries.length), ...entries.flat()]
  return [id, ...unsigned(content.length), ...content]
}
