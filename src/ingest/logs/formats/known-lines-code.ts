/**
 * The function of WebAssembly that passes over plain lines of the combined format that are known to be ignored: it reads them as
 * plain-combined.ts does, looks up their parts in known-verdicts.ts, and leaves each line of which it is not sure to these.
 * plain-judge.test.ts holds them together.
 */

import {
  add,
  and,
  block,
  call,
  close,
  compile,
  get,
  giveBack,
  goTo,
  goToIf,
  i32,
  i64,
  isAbove,
  isAtLeast,
  isAtMost,
  isBelow,
  isBeyond,
  isEqual,
  isFromOn,
  isOther,
  isZero,
  load,
  loadByte,
  loadLong,
  loadSignedByte,
  loadTwoBytes,
  long,
  longAdd,
  longAnd,
  longIsOther,
  longIsZero,
  longXor,
  loop,
  multiply,
  number,
  or,
  otherwise,
  set,
  shiftLeft,
  shiftRight,
  store,
  subtract,
  tee,
  toShort,
  type WasmFunction,
  type WasmMemory,
  when,
  xor,
} from '../../../wasm-code.ts'
import { longestRemembered, slots, tableParts, wordLength } from '../byte-memory.ts'
import {
  agentsAt,
  extensionSlots,
  extensionsAt,
  ignoredAt,
  ignoredFrom,
  passedAt,
  referrersAt,
  requestsAt,
  slotFactor,
  slotShift,
  undecided,
  unknown,
} from '../known-verdicts.ts'
import { plainMethods } from '../log-line.ts'

/** Numbers of memories: that of byte-marks.ts, and that of known-verdicts.ts. */
const [scanned, known] = [0, 1]

const at = (text: string): number => Buffer.from(text, 'latin1').readInt32LE(0)
const at2 = (text: string): number => Buffer.from(text, 'latin1').readInt16LE(0)
const at8 = (text: string): bigint => Buffer.from(text, 'latin1').readBigInt64LE(0)
const code = (character: string): number => character.charCodeAt(0)

const step = (local: number, by: number): number[] => [...get(local), ...number(by), add, ...set(local)]

/** Function 0: the verdict on the bytes from parameter 0 to parameter 1 in the table at parameter 2, found as ByteMemory does. */
const [from, to, table, length, hash, place, slot, found, delta, last] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]

const giveBackUnknown = [...number(unknown), giveBack]
const word = (offset: number): number[] => [...get(place), ...load(offset)]
const timesHash = (factor: number): number[] => [...get(hash), ...number(factor), multiply]

/** hash = (hash * 31 + word) * factor, as `mix` has it. */
const mix = [
  ...[...get(hash), ...number(5), shiftLeft, ...get(hash), subtract, ...word(0), add],
  ...[...number(0x9e3779b1), multiply, ...set(hash)],
]

const hashBytes = [
  ...[...get(length), ...set(hash), ...get(from), ...set(place)],
  ...[...block, ...loop],
  ...[...get(place), ...number(16), add, ...get(to), isAbove, ...goToIf(1)],
  ...timesHash(0x2c1b3c6d),
  ...[...word(0), ...number(0x297a2d39), multiply, add],
  ...[...word(4), ...number(0x165667b1), multiply, add],
  ...[...word(8), ...number(0x85ebca6b), multiply, add],
  ...[...word(12), add, ...set(hash)],
  ...[...step(place, 16), ...goTo(0), ...close, ...close],
  ...[...block, ...loop],
  ...[...get(place), ...number(wordLength), add, ...get(to), isAtLeast, ...goToIf(1)],
  ...[...mix, ...step(place, wordLength), ...goTo(0), ...close, ...close],
  ...[...get(to), ...number(wordLength), subtract, ...set(place), ...mix],
  ...[...get(hash), ...get(hash), ...number(16), shiftRight, xor, ...set(hash)],
]

const ofFound = (part: number): number[] => [...get(found), ...load(part, known)]

/** Leaves the innermost block but so many when eight bytes, the last of which may overlap those before, are others than the kept ones. */
const differs = (outwards: number): number[] => [
  ...[...get(place), ...loadLong(0, scanned), ...get(place), ...get(delta), add, ...loadLong(0, known)],
  ...[longIsOther, ...goToIf(outwards)],
]
const wordDiffers = (outwards: number): number[] => [
  ...[...word(0), ...get(place), ...get(delta), add, ...load(0, known), isOther, ...goToIf(outwards)],
]

const findVerdict: WasmFunction = {
  parameters: [i32, i32, i32],
  result: i32,
  locals: Array(7).fill(i32),
  instructions: [
    ...[...get(to), ...get(from), subtract, ...tee(length), ...number(1), isEqual, ...when],
    ...[...get(from), ...loadByte(), ...number(2), shiftLeft, ...get(table), add],
    ...[...load(tableParts.codesOfOneAt, known), giveBack, ...close],
    ...[...get(length), ...number(wordLength), isBelow],
    ...[...get(length), ...number(longestRemembered), isAbove, or, ...when, ...giveBackUnknown, ...close],
    ...hashBytes,
    ...[...get(hash), ...number(slots - 1), and, ...set(slot)],
    ...loop,
    ...[...get(slot), ...number(1), shiftLeft, ...get(table), add],
    ...[...loadTwoBytes(tableParts.numbersAt, known), ...tee(found), isZero],
    ...[...when, ...giveBackUnknown, ...close],
    ...[...get(found), ...number(2), shiftLeft, ...get(table), add, ...set(found)],
    ...block,
    ...[...ofFound(tableParts.hashesAt), ...get(hash), isOther, ...goToIf(0)],
    ...[...ofFound(tableParts.lengthsAt), ...get(length), isOther, ...goToIf(0)],
    // Where the kept bytes are, from where these are.
    ...[...ofFound(tableParts.startsAt), ...get(table), add, ...number(tableParts.keptAt), add],
    ...[...get(from), ...tee(place), subtract, ...set(delta)],
    ...[...get(length), ...number(8), isBelow, ...when],
    ...wordDiffers(1),
    ...[...get(to), ...number(wordLength), subtract, ...set(place), ...wordDiffers(1)],
    ...otherwise,
    ...[...get(to), ...number(8), subtract, ...set(last)],
    ...[...block, ...loop],
    ...[...get(place), ...get(last), isAtLeast, ...goToIf(1)],
    ...[...differs(3), ...step(place, 8), ...goTo(0), ...close, ...close],
    ...[...get(last), ...set(place), ...differs(1)],
    ...close,
    ...[...ofFound(tableParts.codesAt), giveBack],
    ...close,
    ...[...get(slot), ...number(1), add, ...number(slots - 1), and, ...set(slot), ...goTo(0)],
    ...close,
    ...giveBackUnknown,
    ...close,
  ],
}

/** Function 1 and its locals. Its parameters are where a line begins, where its first mark is noted, and where the last one ends. */
const [line, mark, marksTo, lineMark, query, point, byte, target, targetTo, pathTo, kind, verdict, packed] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
]
const [first, weight, next] = [13, 14, 15]
/** The quotes of the line. */
const [requestAt, requestTo, referrerAt, referrerTo, agentAt, agentTo] = [16, 17, 18, 19, 20, 21]
const time = 22

/** The function ends before a line that it cannot read, or does not know: so many blocks outwards, from within the loop over lines. */
const stop = 2
const stopUnknown = 1
const stopIf = goToIf(stop)

const byteOf = (local: number, offset = 0): number[] => [...get(local), ...loadByte(offset)]
const isNot = (character: string): number[] => [...number(code(character)), isOther]
const before = (local: number, by: number): number[] => [...get(local), ...number(by), subtract]

const nextMark = (into: number): number[] => [...[...get(mark), ...load(), ...set(into)], ...step(mark, 4)]

/** Goes on to the next quote; only question marks and number signs may stand before it. */
const findQuote = (into: number): number[] => [
  ...loop,
  ...nextMark(into),
  ...[...byteOf(into), ...tee(byte), ...isNot('"'), ...when],
  // Of all marks these two alone are 63 with the bits of 28.
  ...[...get(byte), ...number(28), or, ...isNot('?'), ...goToIf(stop + 2)],
  ...(into === requestTo ? [...get(query), isZero, ...when, ...get(into), ...set(query), ...close] : []),
  ...[...goTo(1), ...close, ...close],
]

const findQuotes = [requestAt, requestTo, referrerAt, referrerTo, agentAt, agentTo].flatMap(findQuote)

/** Behind the last quote anything may stand. */
const findEnd = [
  ...loop,
  ...nextMark(next),
  ...[...byteOf(next), ...number(10), isOther, ...when],
  ...[...get(mark), ...get(marksTo), isBeyond, ...goToIf(stop + 2)],
  ...[...goTo(1), ...close, ...close],
  ...step(next, 1),
]

/** Where the moment of the lines that are passed over lies in the memory of the marks: another day is for JavaScript to judge. */
export const momentAt = 40 * 1024

/** Where the function says what it has read of the line that it returns, a word each; places as in the memory of the marks. */
export const lineAt = momentAt + 32
/** -1 for the line itself when it was not read, and then for nothing else but its first mark. */
export const lineWords = {
  ...{
    line: 0,
    lineMark: 1,
    next: 2,
    nextMark: 3,
    kind: 4,
    secondOfDay: 5,
    requestAt: 6,
    target: 7,
    pathTo: 8,
  },
  ...{ targetTo: 9, referrerAt: 10, referrerTo: 11, agentAt: 12, agentTo: 13 },
}

/** What must be added to the bytes of `13:55:36`, less `00:00:00`, for one that is too large to get its highest bit. */
const beyondTime = Buffer.from([2, 9, 0, 5, 9, 0, 5, 9].map(limit => 127 - limit)).readBigInt64LE(0)
const highestBits = 0x8080808080808080n

/** Stops unless the bytes behind `offset` are those of the day and zone that are known. */
const sameMoment = (offset: number): number[] => [
  ...[...get(point), ...load(2 + offset), ...number(momentAt + offset), ...load(), isOther, ...stopIf],
]

/** ` [10/Oct/2000:13:55:36 -0700] ` before the request, and a client before that. */
const checkMoment = [
  ...[...before(requestAt, 30), ...tee(point), ...get(line), isAtMost, ...stopIf],
  ...[...get(point), ...loadTwoBytes(), ...number(at2(' [')), isOther, ...stopIf],
  ...[...get(point), ...loadTwoBytes(28), ...number(at2('] ')), isOther, ...stopIf],
  ...[...sameMoment(0), ...sameMoment(4), ...sameMoment(8), ...sameMoment(20), ...sameMoment(22)],
  ...[...get(point), ...loadLong(14), ...long(at8('00:00:00')), longXor, ...tee(time)],
  ...[...long(beyondTime), longAdd, ...long(highestBits), longAnd, longIsZero, isZero, ...stopIf],
  // The hour.
  ...[...get(time), toShort, ...tee(packed), ...number(255), and, ...number(10), multiply],
  ...[...get(packed), ...number(8), shiftRight, ...number(255), and, add],
  ...[...number(23), isAbove, ...stopIf],
  ...[...byteOf(line), ...tee(byte), ...number(code('#')), isEqual],
  ...[...get(byte), ...number(code(' ')), isEqual, or, ...stopIf],
]

const protocolBytes = 0xff_00_00_00_ff_ffn
const noProtocol = (local: number): number[] => [
  ...[...get(local), ...loadLong(), ...long(protocolBytes), longAnd],
  ...[...long(at8(' HTTP/1.') & protocolBytes), longIsOther],
]

const isMethod = (method: string): number[] => [
  ...[...get(requestAt), ...load(1), ...number(at(method)), isEqual],
]
const setKind = (method: (typeof plainMethods)[number]): number[] => [
  ...[...number(plainMethods.indexOf(method)), ...set(kind)],
]

/** `GET /path HTTP/1.1`, `GET /path HTTP/2` */
const splitRequest = [
  ...[
    ...get(requestTo),
    ...get(requestAt),
    subtract,
    ...number(1 + 'GET / HTTP/2'.length),
    isBelow,
    ...stopIf,
  ],
  ...[...isMethod('GET '), ...when],
  ...[...setKind('GET'), ...get(requestAt), ...number(5), add, ...set(target)],
  ...otherwise,
  ...[...isMethod('HEAD'), ...when, ...setKind('HEAD'), ...otherwise],
  ...[...isMethod('POST'), isZero, ...goToIf(stop + 2), ...setKind('POST'), ...close],
  ...[...get(requestAt), ...number(6), add, ...set(target)],
  ...[...byteOf(requestAt, 5), ...isNot(' '), ...goToIf(stop + 1)],
  ...close,
  ...[...byteOf(target), ...isNot('/'), ...stopIf],
  ...[...before(requestTo, 9), ...set(targetTo)],
  ...[...noProtocol(targetTo), ...when, ...before(requestTo, 7), ...set(targetTo)],
  ...[...noProtocol(targetTo), ...goToIf(stop + 1), ...close],
  ...[...get(targetTo), ...get(target), isAtMost, ...stopIf],
  ...[...get(targetTo), ...set(pathTo)],
  // A query or fragment that begins before the protocol; there is none at 0.
  ...[
    ...before(query, 1),
    ...get(targetTo),
    isFromOn,
    isZero,
    ...when,
    ...get(query),
    ...set(pathTo),
    ...close,
  ],
]

const digit = (offset: number): number[] => [
  ...byteOf(requestTo, offset),
  ...number(48),
  subtract,
  ...tee(byte),
]
const addToKind = (weightOfKind: number, more: readonly number[]): number[] => [
  ...[...get(kind), ...more, ...number(weightOfKind), multiply, add, ...set(kind)],
]
/** Kinds are numbered by status, method and asset. */
const ofStatus = plainMethods.length * 2

/** ` 200 2326 "`, with `-` for the size. */
const readStatus = [
  ...[...get(kind), ...number(1), shiftLeft, ...set(kind)],
  ...[...byteOf(requestTo, 1), ...isNot(' '), ...byteOf(requestTo, 5), ...isNot(' '), or, ...stopIf],
  ...[...digit(2), ...number(1), subtract, ...number(8), isBeyond, ...stopIf],
  ...addToKind(100 * ofStatus, get(byte)),
  ...[...digit(3), ...number(9), isBeyond, ...stopIf, ...addToKind(10 * ofStatus, get(byte))],
  ...[...digit(4), ...number(9), isBeyond, ...stopIf, ...addToKind(ofStatus, get(byte))],
  ...[...get(requestTo), ...number(6), add, ...set(point)],
  ...[...before(referrerAt, 1), ...tee(first), ...loadByte(), ...isNot(' '), ...stopIf],
  ...[...get(point), ...get(first), isAtLeast, ...stopIf],
  ...[...byteOf(point), ...number(code('-')), isEqual, ...when],
  ...[...get(point), ...number(1), add, ...get(first), isOther, ...goToIf(stop + 1)],
  ...otherwise,
  ...loop,
  ...[...byteOf(point), ...number(48), subtract, ...number(9), isBeyond, ...goToIf(stop + 2)],
  ...[...step(point, 1), ...get(point), ...get(first), isBelow, ...goToIf(0)],
  ...close,
  ...close,
]

const checkAgent = [
  ...[...get(referrerTo), ...number(2), add, ...get(agentAt), isOther, ...stopIf],
  ...[...byteOf(referrerTo, 1), ...isNot(' '), ...stopIf],
]

const extensionSlot = [...[...get(point), ...number(2), shiftLeft, ...load(extensionsAt, known)]]

/** The kind is one more for the path of a static asset, as isStaticPath has it. */
const findAsset = [
  ...[...number(0), ...set(packed), ...number(1), ...set(weight)],
  ...[
    ...before(pathTo, 6),
    ...tee(first),
    ...get(target),
    isBelow,
    ...when,
    ...get(target),
    ...set(first),
    ...close,
  ],
  ...[...before(pathTo, 1), ...set(point)],
  ...[...block, ...loop],
  ...[...get(point), ...get(first), isBelow, ...goToIf(1)],
  ...[...byteOf(point), ...tee(byte), ...number(code('.')), isEqual, ...when],
  ...[...get(packed), ...number(slotFactor), multiply, ...number(slotShift), shiftRight, ...set(point)],
  ...loop,
  // The blocks outwards: this loop, the condition, the loop over bytes, the block.
  ...[...extensionSlot, ...tee(byte), isZero, ...goToIf(3)],
  ...[...get(byte), ...get(packed), isEqual, ...when, ...step(kind, 1), ...goTo(4), ...close],
  ...[...get(point), ...number(1), add, ...number(extensionSlots - 1), and, ...set(point), ...goTo(0)],
  ...close,
  ...close,
  // Digits to the base 37: letters in either case from 1 on, then digits.
  ...[...get(byte), ...number(32), or, ...number(96), subtract, ...tee(verdict)],
  ...[...number(1), subtract, ...number(25), isBeyond, ...when],
  ...[...before(byte, 48), ...number(9), isBeyond, ...goToIf(2), ...before(byte, 21), ...set(verdict)],
  ...close,
  ...[...get(packed), ...get(verdict), ...get(weight), multiply, add, ...set(packed)],
  ...[...get(weight), ...number(37), multiply, ...set(weight)],
  ...[...step(point, -1), ...goTo(0)],
  ...[...close, ...close],
]

const lookUp = (quoteAt: number, quoteTo: number, table: number): number[] => [
  ...[...get(quoteAt), ...number(1), add, ...get(quoteTo), ...number(table), ...call(0), ...set(verdict)],
]
const isIgnored = [...get(verdict), ...number(ignoredFrom), isAtLeast]

/** Stops unless it is known that the line is ignored. */
const judge = [
  ...block,
  ...[...get(kind), ...loadSignedByte(requestsAt, known), ...tee(verdict)],
  ...[...number(ignoredFrom), isAtLeast, ...goToIf(0)],
  ...[...get(verdict), ...number(undecided), isOther, ...goToIf(stopUnknown + 1)],
  ...[...lookUp(agentAt, agentTo, agentsAt), ...isIgnored, ...goToIf(0)],
  ...[...get(verdict), ...number(undecided), isOther, ...goToIf(stopUnknown + 1)],
  // The marks of a landing would count too.
  ...[...get(pathTo), ...get(targetTo), isOther, ...goToIf(stopUnknown + 1)],
  ...[...lookUp(referrerAt, referrerTo, referrersAt), ...isIgnored, isZero, ...goToIf(stopUnknown + 1)],
  ...close,
]

const countOne = (address: readonly number[], offset: number): number[] => [
  ...[...address, ...address, ...load(offset, known), ...number(1), add, ...store(offset, known)],
]

const noteWord = (name: keyof typeof lineWords, value: readonly number[]): number[] => [
  ...[...number(lineAt), ...value, ...store(lineWords[name] * 4)],
]

/** Two digits so many bytes before the request. */
const twoDigits = (back: number): number[] => [
  ...[...before(requestAt, back), ...tee(point), ...loadByte(), ...number(10), multiply],
  ...[...byteOf(point, 1), add, ...number(48 * 11), subtract],
]
const secondOfDay = [
  ...[...twoDigits(16), ...number(60), multiply, ...twoDigits(13), add],
  ...[...number(60), multiply, ...twoDigits(10), add],
]

const noteLine = [
  ...[...noteWord('line', get(line)), ...noteWord('next', get(next)), ...noteWord('nextMark', get(mark))],
  ...[...noteWord('kind', get(kind)), ...noteWord('secondOfDay', secondOfDay)],
  ...[...noteWord('requestAt', get(requestAt)), ...noteWord('target', get(target))],
  ...[...noteWord('pathTo', get(pathTo)), ...noteWord('targetTo', get(targetTo))],
  ...[...noteWord('referrerAt', get(referrerAt)), ...noteWord('referrerTo', get(referrerTo))],
  ...[...noteWord('agentAt', get(agentAt)), ...noteWord('agentTo', get(agentTo))],
]

const passOverLines: WasmFunction = {
  parameters: [i32, i32, i32],
  result: i32,
  locals: [...Array(19).fill(i32), i64],
  instructions: [
    ...noteWord('line', number(-1)),
    ...[...block, ...block, ...loop],
    ...[...get(mark), ...set(lineMark), ...number(0), ...set(query)],
    ...[...findQuotes, ...findEnd, ...checkMoment, ...splitRequest, ...readStatus, ...checkAgent],
    ...[...findAsset, ...judge],
    ...countOne([...get(verdict), ...number(ignoredFrom), subtract, ...number(2), shiftLeft], ignoredAt),
    ...countOne(number(0), passedAt),
    ...[...get(next), ...set(line), ...goTo(0), ...close, ...close],
    ...noteLine,
    ...close,
    ...noteWord('lineMark', get(lineMark)),
    ...[...get(line), ...close],
  ],
}

/** Passes over the lines from `line` on, whose first mark is noted at `mark`, and returns where the first one begins that is not passed over. */
export type PassOver = (line: number, mark: number, marksTo: number) => number

export const compilePassOver = (marks: WasmMemory, verdicts: WasmMemory): PassOver =>
  compile([marks, verdicts], [findVerdict, passOverLines])
