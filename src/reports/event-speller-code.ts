/**
 * The function of WebAssembly that spells events between their pieces, put down instruction by instruction. JavaScript checks each access to
 * memory and has no way to move sixteen bytes at once, which made the same loop take three times as long (row 4 of
 * docs/performance.md). event-page-json.test.ts holds it to what JSON.stringify makes of the same events.
 */
import {
  add,
  call,
  close,
  compile,
  divide,
  doubleSubtract,
  doubleToLong,
  doubleToShort,
  f64,
  get,
  goToIf,
  i32,
  i64,
  isBeyond,
  isUnder,
  load,
  loadDouble,
  loadSixteen,
  loadTwoBytes,
  long,
  longAnd,
  longDivide,
  longIsFromOn,
  longMultiply,
  longOr,
  longRest,
  longShiftLeft,
  longShiftRight,
  longSubtract,
  longTrailingZeros,
  loop,
  multiply,
  number,
  or,
  otherwise,
  rest,
  set,
  shiftLeft,
  shiftRight,
  storeByte,
  storeLong,
  storeSixteen,
  storeTwoBytes,
  subtract,
  tee,
  toLong,
  toShort,
  type WasmMemory,
  when,
} from '../wasm-code.ts'

/** Where things lie in the memory of the function, in bytes. */
export const rowsMax = 1_024
/** `00` to `99`, two bytes each. */
export const pairsAt = 0
/** For each of some days, what stands from the country to the id of the next event. */
export const daysAt = 1_024
export const daysMax = 512
export const dayBytes = 64
export const idsAt = daysAt + daysMax * dayBytes
export const timesAt = idsAt + rowsMax * 8
/** Places of pieces, in words, in the memories of subjects and paths. */
export const subjectsAt = timesAt + rowsMax * 8
export const pathsAt = subjectsAt + rowsMax * 4
/** Places of pieces in its own memory, 0 for events without a value. */
export const valuesAt = pathsAt + rowsMax * 4
export const countriesAt = valuesAt + rowsMax * 4
export const valuePiecesAt = countriesAt + rowsMax * 2
export const valuePieceBytes = 32
export const outAt = valuePiecesAt + rowsMax * valuePieceBytes + 64

/** A piece is its length in four bytes and its bytes; so many are copied in any case, and may be read and written beyond its end. */
export const copiedAtLeast = 64

/** Numbers of memories. */
const [subjects, paths, own] = [0, 1, 2]

const repeatIf = goToIf(0)

/** Parameters and locals of the function. */
const [row, end, out, dayStart, day, id, piece, length, copied, time, part] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
]
const zeros = long(0x3030303030303030n)
const hundredMillion = 100_000_000

/** Function 0: the eight digits of a number below 10^8, one a byte, the first one lowest: halves, quarters and digits at once. */
const digits = [
  // Parameter 0 is the number, local 1 what is divided, local 2 what it was divided into.
  ...[...get(0), ...number(10_000), divide, toLong],
  ...[...get(0), ...number(10_000), rest, toLong, ...long(32n), longShiftLeft, longOr, ...set(1)],
  ...[...get(1), ...long(10_486n), longMultiply, ...long(20n), longShiftRight],
  ...[...long(0x7f0000007fn), longAnd, ...set(2)],
  ...[...get(1), ...get(2), ...long(100n), longMultiply, longSubtract, ...long(16n), longShiftLeft],
  ...[...get(2), longOr, ...set(1)],
  ...[...get(1), ...long(103n), longMultiply, ...long(10n), longShiftRight],
  ...[...long(0xf000f000f000fn), longAnd, ...set(2)],
  ...[...get(1), ...get(2), ...long(10n), longMultiply, longSubtract, ...long(8n), longShiftLeft],
  ...[...get(2), longOr],
  ...close,
]
const digitsOf = call(0)

const moveOut = (bytes: readonly number[]): number[] => [...get(out), ...bytes, add, ...set(out)]

/** Writes the digits of the number in `id` without zeros in front. */
const writeShort = [
  ...[...get(out), ...get(id), toShort, ...digitsOf, ...tee(id)],
  ...[...zeros, longOr],
  // A number of one digit at least: bits of zeros in front, by eight.
  ...[...get(id), ...long(1n << 56n), longOr, longTrailingZeros, ...long(56n), longAnd, ...tee(id)],
  ...[longShiftRight, ...storeLong(0, own)],
  ...moveOut([...number(8), ...get(id), toShort, ...number(3), shiftRight, subtract]),
]

const divideLong = [...get(id), ...long(BigInt(hundredMillion)), longDivide]

const writeId = [
  ...[...get(row), ...number(8), multiply, ...loadDouble(idsAt, own), doubleToLong, ...set(id)],
  ...[...get(id), ...long(BigInt(hundredMillion)), longIsFromOn, ...when],
  // The last eight digits, told before the first ones take the place of the number.
  ...[...get(id), ...long(BigInt(hundredMillion)), longRest, toShort, ...set(part)],
  ...[...divideLong, ...set(id), ...writeShort],
  ...[...get(out), ...get(part), ...digitsOf, ...zeros, longOr, ...storeLong(0, own)],
  ...moveOut(number(8)),
  ...otherwise,
  ...writeShort,
  ...close,
]

const copySixteen = (offset: number, memory: number): number[] => [
  ...[...get(out), ...get(piece), ...loadSixteen(4 + offset, memory), ...storeSixteen(offset, own)],
]

/** Copies the piece whose place is on the stack. */
const copyPiece = (memory: number): number[] => [
  ...[...number(2), shiftLeft, ...tee(piece), ...load(0, memory), ...set(length)],
  ...[0, 16, 32, 48].flatMap(offset => copySixteen(offset, memory)),
  ...[...get(length), ...number(copiedAtLeast), isBeyond, ...when],
  ...[...number(copiedAtLeast), ...set(copied)],
  ...loop,
  ...[...get(out), ...get(copied), add],
  ...[...get(piece), ...get(copied), add, ...loadSixteen(4, memory), ...storeSixteen(0, own)],
  ...[...get(copied), ...number(16), add, ...tee(copied), ...get(length), isUnder, ...repeatIf],
  ...close,
  ...close,
  ...moveOut(get(length)),
]

const placeOf = (column: number): number[] => [...[...get(row), ...number(4), multiply, ...load(column, own)]]

/** Puts two digits of `part` behind `offset` bytes. */
const writePair = (offset: number): number[] => [
  ...[
    ...get(out),
    ...get(part),
    ...number(2),
    multiply,
    ...loadTwoBytes(pairsAt, own),
    ...storeTwoBytes(offset, own),
  ],
]

/** Takes whole units off the time and writes them. */
const writeUnit = (milliseconds: number, offset: number): number[] => [
  ...[...get(time), ...number(milliseconds), divide, ...set(part)],
  ...[...get(time), ...get(part), ...number(milliseconds), multiply, subtract, ...set(time)],
  ...writePair(offset),
]

/** `hoursAt`: where the hours lie in the piece of a day; `dayLength`: how long it is. */
const body = (hoursAt: number, dayLength: number): number[] => [
  ...loop,
  ...writeId,
  ...[...placeOf(subjectsAt), ...copyPiece(subjects)],
  ...[...placeOf(valuesAt), ...tee(piece), ...when, ...get(piece), ...copyPiece(own), ...close],
  ...[...placeOf(pathsAt), ...copyPiece(paths)],
  // The country, first letter first.
  ...[...get(out), ...get(row), ...number(2), multiply, ...loadTwoBytes(countriesAt, own), ...tee(part)],
  ...[...number(8), shiftRight, ...get(part), ...number(8), shiftLeft, or, ...storeTwoBytes(0, own)],
  ...moveOut(number(2)),
  ...[0, 16, 32, 48].flatMap(offset => [
    ...[...get(out), ...get(day), ...loadSixteen(offset, own), ...storeSixteen(offset, own)],
  ]),
  ...[
    ...get(row),
    ...number(8),
    multiply,
    ...loadDouble(timesAt, own),
    ...get(dayStart),
    doubleSubtract,
    doubleToShort,
    ...set(time),
  ],
  ...[...writeUnit(3_600_000, hoursAt), ...writeUnit(60_000, hoursAt + 3), ...writeUnit(1_000, hoursAt + 6)],
  ...writeUnit(10, hoursAt + 9),
  ...[...get(out), ...get(time), ...number(48), add, ...storeByte(hoursAt + 11, own)],
  ...moveOut(number(dayLength)),
  ...[...get(row), ...number(1), add, ...tee(row), ...get(end), isUnder, ...repeatIf],
  ...close,
  ...get(out),
  ...close,
]

/** Spells the rows from `from` to before `to`, of one day, from `out` on, with the piece at `dayPlace`; returns where that ends. */
export type Spell = (from: number, to: number, out: number, dayStart: number, dayPlace: number) => number

/** `memories`: of subjects, of paths, and its own. */
export const compileSpell = (memories: readonly WasmMemory[], hoursAt: number, dayLength: number): Spell =>
  compile(memories, [
    { parameters: [i32], result: i64, locals: [i64, i64], instructions: digits },
    {
      parameters: [i32, i32, i32, f64, i32],
      result: i32,
      locals: [i64, i32, i32, i32, i32, i32],
      instructions: body(hoursAt, dayLength),
    },
  ])
