/**
 * The function of WebAssembly that spells events between their pieces, put down instruction by instruction. JavaScript checks each access to
 * memory and has no way to move sixteen bytes at once, which made the same loop take three times as long (row 4 of
 * docs/performance.md). event-page-json.test.ts holds it to what JSON.stringify makes of the same events.
 */

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

/** Numbers of memories, the latter two imported. */
const [subjects, paths, own] = [0, 1, 2]

const [i32, i64, f64] = [0x7f, 0x7e, 0x7c]

/** Of a number that may be negative, seven bits a byte. */
function signed(value: bigint): number[] {
  const low = Number(value & 127n)
  const rest = value >> 7n
  const isLast = (rest === 0n && low < 64) || (rest === -1n && low >= 64)
  return isLast ? [low] : [low | 128, ...signed(rest)]
}
const unsigned = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)]

const get = (local: number): number[] => [0x20, local]
const set = (local: number): number[] => [0x21, local]
const tee = (local: number): number[] => [0x22, local]
const number = (value: number): number[] => [0x41, ...signed(BigInt(value))]
const long = (value: bigint): number[] => [0x42, ...signed(value)]
const [add, subtract, multiply, divide, or, shiftLeft, shiftRight] = [
  0x6a, 0x6b, 0x6c, 0x6e, 0x72, 0x74, 0x76,
]
const [isLess, isMore] = [0x49, 0x4b]
const [longSubtract, longMultiply, longDivide, longAnd, longOr, longShiftLeft, longShiftRight] = [
  0x7d, 0x7e, 0x80, 0x83, 0x84, 0x86, 0x88,
]
const [longIsMoreOrEqual, longTrailingZeros, toLong, toShort] = [0x5a, 0x7a, 0xad, 0xa7]
const [loop, when, otherwise, close] = [[0x03, 0x40], [0x04, 0x40], [0x05], [0x0b]]
const repeatIf = [0x0d, 0]
/** Bytes behind the address on the stack; addresses need no alignment. */
const at = (offset: number, memory: number): number[] => [0x40, memory, ...unsigned(offset)]
const load = (offset: number, memory: number): number[] => [0x28, ...at(offset, memory)]
const loadDouble = (offset: number): number[] => [0x2b, ...at(offset, own)]
const loadTwoBytes = (offset: number): number[] => [0x2f, ...at(offset, own)]
const storeByte = (offset: number): number[] => [0x3a, ...at(offset, own)]
const storeTwoBytes = (offset: number): number[] => [0x3b, ...at(offset, own)]
const storeLong = (offset: number): number[] => [0x37, ...at(offset, own)]
const loadSixteen = (offset: number, memory: number): number[] => [0xfd, 0, ...at(offset, memory)]
const storeSixteen = (offset: number): number[] => [0xfd, 11, ...at(offset, own)]

/** Parameters and locals of the function. */
const [row, end, out, dayStart, day, id, piece, length, copied, time, part] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
]
const localTypes = [i64, i32, i32, i32, i32, i32]

const zeros = long(0x3030303030303030n)
const hundredMillion = 100_000_000

/** Function 0: the eight digits of a number below 10^8, one a byte, the first one lowest: halves, quarters and digits at once. */
const digits = [
  // Parameter 0 is the number, local 1 what is divided, local 2 what it was divided into.
  ...[...get(0), ...number(10_000), divide, toLong],
  ...[...get(0), ...number(10_000), 0x70, toLong, ...long(32n), longShiftLeft, longOr, ...set(1)],
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
const digitsOf = [0x10, 0]

const moveOut = (bytes: readonly number[]): number[] => [...get(out), ...bytes, add, ...set(out)]

/** Writes the digits of the number in `id` without zeros in front. */
const writeShort = [
  ...[...get(out), ...get(id), toShort, ...digitsOf, ...tee(id)],
  ...[...zeros, longOr],
  // A number of one digit at least: bits of zeros in front, by eight.
  ...[...get(id), ...long(1n << 56n), longOr, longTrailingZeros, ...long(56n), longAnd, ...tee(id)],
  ...[longShiftRight, ...storeLong(0)],
  ...moveOut([...number(8), ...get(id), toShort, ...number(3), shiftRight, subtract]),
]

const divideLong = [...get(id), ...long(BigInt(hundredMillion)), longDivide]

const writeId = [
  ...[...get(row), ...number(8), multiply, ...loadDouble(idsAt), 0xb1, ...set(id)],
  ...[...get(id), ...long(BigInt(hundredMillion)), longIsMoreOrEqual, ...when],
  // The last eight digits, told before the first ones take the place of the number.
  ...[...get(id), ...long(BigInt(hundredMillion)), 0x82, toShort, ...set(part)],
  ...[...divideLong, ...set(id), ...writeShort],
  ...[...get(out), ...get(part), ...digitsOf, ...zeros, longOr, ...storeLong(0)],
  ...moveOut(number(8)),
  ...otherwise,
  ...writeShort,
  ...close,
]

const copySixteen = (offset: number, memory: number): number[] => [
  ...[...get(out), ...get(piece), ...loadSixteen(4 + offset, memory), ...storeSixteen(offset)],
]

/** Copies the piece whose place is on the stack. */
const copyPiece = (memory: number): number[] => [
  ...[...number(2), shiftLeft, ...tee(piece), ...load(0, memory), ...set(length)],
  ...[0, 16, 32, 48].flatMap(offset => copySixteen(offset, memory)),
  ...[...get(length), ...number(copiedAtLeast), isMore, ...when],
  ...[...number(copiedAtLeast), ...set(copied)],
  ...loop,
  ...[...get(out), ...get(copied), add],
  ...[...get(piece), ...get(copied), add, ...loadSixteen(4, memory), ...storeSixteen(0)],
  ...[...get(copied), ...number(16), add, ...tee(copied), ...get(length), isLess, ...repeatIf],
  ...close,
  ...close,
  ...moveOut(get(length)),
]

const placeOf = (column: number): number[] => [...[...get(row), ...number(4), multiply, ...load(column, own)]]

/** Puts two digits of `part` behind `offset` bytes. */
const writePair = (offset: number): number[] => [
  ...[...get(out), ...get(part), ...number(2), multiply, ...loadTwoBytes(pairsAt), ...storeTwoBytes(offset)],
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
  ...[...get(out), ...get(row), ...number(2), multiply, ...loadTwoBytes(countriesAt), ...tee(part)],
  ...[...number(8), shiftRight, ...get(part), ...number(8), shiftLeft, or, ...storeTwoBytes(0)],
  ...moveOut(number(2)),
  ...[0, 16, 32, 48].flatMap(offset => [
    ...[...get(out), ...get(day), ...loadSixteen(offset, own), ...storeSixteen(offset)],
  ]),
  ...[
    ...get(row),
    ...number(8),
    multiply,
    ...loadDouble(timesAt),
    ...get(dayStart),
    0xa1,
    0xab,
    ...set(time),
  ],
  ...[...writeUnit(3_600_000, hoursAt), ...writeUnit(60_000, hoursAt + 3), ...writeUnit(1_000, hoursAt + 6)],
  ...writeUnit(10, hoursAt + 9),
  ...[...get(out), ...get(time), ...number(48), add, ...storeByte(hoursAt + 11)],
  ...moveOut(number(dayLength)),
  ...[...get(row), ...number(1), add, ...tee(row), ...get(end), isLess, ...repeatIf],
  ...close,
  ...get(out),
  ...close,
]

/** Imports the memories `p.subjects` and `p.paths`; exports `spell` (rows of one day, at least one, where to,
 * the start of the day and where what is to be spelled of it lies) and `memory`. */
export function eventSpellerCode(hoursAt: number, dayLength: number): Uint8Array {
  const text = (name: string): number[] => [name.length, ...Buffer.from(name)]
  const section = (id: number, content: readonly number[]): number[] => [
    id,
    ...unsigned(content.length),
    ...content,
  ]
  const code = (locals: readonly number[], instructions: readonly number[]): number[] => {
    const all = [locals.length, ...locals.flatMap(type => [1, type]), ...instructions]
    return [...unsigned(all.length), ...all]
  }
  const memory = (name: string): number[] => [...text('p'), ...text(name), 2, 0, 1]
  return Uint8Array.from([
    ...[...text('\0asm').slice(1), 1, 0, 0, 0],
    ...section(1, [2, ...[0x60, 1, i32, 1, i64], ...[0x60, 5, i32, i32, i32, f64, i32, 1, i32]]),
    ...section(2, [2, ...memory('subjects'), ...memory('paths')]),
    ...section(3, [2, 0, 1]),
    ...section(5, [1, 0, 4]),
    ...section(7, [2, ...text('spell'), 0, 1, ...text('memory'), 2, own]),
    ...section(10, [2, ...code([i64, i64], digits), ...code(localTypes, body(hoursAt, dayLength))]),
  ])
}
