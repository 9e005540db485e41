/** Spells rows of events between their pieces: the JavaScript around the function in event-speller-code.ts. */
import { dayMs, dayOf, formatDay } from '../domain/date-range.ts'
import { eventTypes } from '../domain/event.ts'
import { newMemory, pageLength, type WasmMemory } from '../wasm-code.ts'
import {
  compileSpell,
  copiedAtLeast,
  countriesAt,
  dayBytes,
  daysAt,
  daysMax,
  idsAt,
  outAt,
  pairsAt,
  pathsAt,
  rowsMax,
  type Spell,
  subjectsAt,
  timesAt,
  valuePieceBytes,
  valuePiecesAt,
  valuesAt,
} from './event-speller-code.ts'
import { type MakeRoom, PieceMemory } from './piece-memory.ts'
import { writeNumber } from './spell-bytes.ts'

/** Events as columns, of each of which the first `count` places mean something. */
export interface EventRows {
  readonly count: number
  readonly ids: Float64Array
  readonly times: Float64Array
  /** Code of the first letter times 256, and that of the second. */
  readonly countries: Uint16Array
  /** Places of pieces. */
  readonly subjects: Uint32Array
  readonly paths: Uint32Array
  /** Places in `eventTypes`: conversions have a value, be it null. */
  readonly types: Uint8Array
  readonly values: Float64Array
}

/** The same columns in the memory of the function. */
class Columns {
  readonly ids: Float64Array
  readonly times: Float64Array
  readonly countries: Uint16Array
  readonly subjects: Uint32Array
  readonly paths: Uint32Array
  readonly values: Uint32Array
  /** All of the memory. */
  readonly bytes: Buffer
  readonly view: DataView

  constructor(memory: ArrayBuffer) {
    this.ids = new Float64Array(memory, idsAt, rowsMax)
    this.times = new Float64Array(memory, timesAt, rowsMax)
    this.countries = new Uint16Array(memory, countriesAt, rowsMax)
    this.subjects = new Uint32Array(memory, subjectsAt, rowsMax)
    this.paths = new Uint32Array(memory, pathsAt, rowsMax)
    this.values = new Uint32Array(memory, valuesAt, rowsMax)
    this.bytes = Buffer.from(memory)
    this.view = new DataView(memory)
  }
}

const comma = 44
const conversion = eventTypes.indexOf('conversion')

/** From the country to the id of the next event. */
const dayPiece = (day: string): string => `","created_at":"${day}T00:00:00.000Z"},{"id":`
const someDay = dayPiece('2026-02-28')

/** Of each event besides its pieces: id, value with its comma, country, and time. */
export const eventBytesMax = 16 + 26 + 2 + someDay.length

export class EventSpeller {
  readonly subjects: PieceMemory
  readonly paths: PieceMemory
  readonly #spell: Spell
  readonly #memory = newMemory(4 * pageLength)
  #columns: Columns
  /** Days whose pieces lie in the memory, by place. */
  readonly #days = new Int32Array(daysMax).fill(-1)

  constructor(subjectBytesMax: number, pathBytesMax: number) {
    const [subjects, paths] = [newMemory(pageLength), newMemory(pageLength)]
    this.subjects = new PieceMemory(subjectBytesMax, wordsIn(subjects))
    this.paths = new PieceMemory(pathBytesMax, wordsIn(paths))
    this.#spell = compileSpell([subjects, paths, this.#memory], someDay.indexOf('T') + 1, someDay.length)
    this.#columns = new Columns(this.#memory.buffer)
    for (let i = 0; i < 100; i++) this.#columns.bytes.write(String(i).padStart(2, '0'), pairsAt + 2 * i)
  }

  /** Writes events and the beginning of one more behind them; gives back where that ends. `pieceBytes`: how long the pieces are together. */
  write(rows: EventRows, pieceBytes: number, target: Buffer, from: number): number {
    this.#makeRoom(outAt + pieceBytes + rows.count * eventBytesMax + copiedAtLeast)
    let at = from
    for (let first = 0; first < rows.count; first += rowsMax) {
      const end = Math.min(first + rowsMax, rows.count)
      at += this.#columns.bytes.copy(target, at, outAt, this.#writeSome(rows, first, end))
    }
    return at
  }

  /** The rows from `first` to before `end`, at most `rowsMax`. */
  #writeSome(rows: EventRows, first: number, end: number): number {
    const { times, types, values } = rows
    const columns = this.#columns
    const count = end - first
    columns.ids.set(rows.ids.subarray(first, end))
    columns.times.set(times.subarray(first, end))
    columns.countries.set(rows.countries.subarray(first, end))
    columns.subjects.set(rows.subjects.subarray(first, end))
    columns.paths.set(rows.paths.subarray(first, end))
    const valuePlaces = columns.values
    for (let row = 0; row < count; row++) {
      const hasValue = types[first + row] === conversion
      valuePlaces[row] = hasValue ? putValue(columns.view, row, values[first + row]!) : 0
    }
    let out = outAt
    for (let row = 0; row < count; ) {
      const day = dayOf(times[first + row]!)
      const dayStart = day * dayMs
      let next = row + 1
      while (next < count && times[first + next]! >= dayStart && times[first + next]! < dayStart + dayMs)
        next++
      out = this.#spell(row, next, out, dayStart, this.#placeOfDay(day))
      row = next
    }
    return out
  }

  #placeOfDay(day: number): number {
    const slot = day % daysMax
    const place = daysAt + slot * dayBytes
    if (this.#days[slot] !== day) this.#columns.bytes.write(dayPiece(formatDay(day)), place, 'latin1')
    this.#days[slot] = day
    return place
  }

  #makeRoom(bytes: number): void {
    const missing = bytes - this.#memory.buffer.byteLength
    if (missing <= 0) return
    this.#memory.grow(Math.ceil(missing / pageLength))
    this.#columns = new Columns(this.#memory.buffer)
  }
}

/** Gives back the place of the piece. */
function putValue(view: DataView, row: number, value: number): number {
  const place = valuePiecesAt + row * valuePieceBytes
  const end = writeNumber(view, place + 4, value)
  view.setUint8(end, comma)
  view.setUint32(place, end + 1 - (place + 4), true)
  return place >> 2
}

/** Words of pieces at the beginning of a memory, which has room for what is read beyond the last of them. */
const wordsIn =
  (memory: WasmMemory): MakeRoom =>
  (words, length) => {
    if (length <= words.length) return words
    const bytes = 2 ** Math.ceil(Math.log2(length)) * 4
    const missing = bytes + pageLength - memory.buffer.byteLength
    if (missing > 0) memory.grow(Math.ceil(missing / pageLength))
    return new Uint32Array(memory.buffer, 0, bytes / 4)
  }
