/**
 * A span: the roll-ups of 32 days of one site as running totals in memory, so that a range costs one subtraction a name
 * and span, whatever the traffic (row 2 of docs/performance.md).
 */
import { ByteReader } from '../sqlite-bytes.ts'
import { hoursLength } from './sqlite-day.ts'

export const spanDays = 32
export const spanOf = (day: number): number => Math.floor(day / spanDays)

export interface Span {
  readonly firstDay: number
  readonly bytes: number
  /** How many names occur. */
  readonly width: number
  /**
   * Rows of `width`: the indexes of these names in the list of the site, then a running count of each at each of the 33 boundaries
   * between days. One array, since what a question costs is what it must fetch from memory.
   */
  readonly counts: Uint16Array | Float64Array
  /** How many of them have values. */
  readonly valuedWidth: number
  /** The indexes of these names, then at each boundary a running sum of each: two numbers, split as in domain/money.ts. */
  readonly values: Float64Array
  /** 32 days by 24 hours by 3 types. */
  readonly hours: Uint8Array | Uint16Array | Float64Array
  /** 32 days by 3 types. */
  readonly days: Uint16Array | Float64Array
}

/** A day's roll-up as it is stored (sqlite-day.ts), by its place in the span (0 to 31). */
export interface StoredDay {
  readonly place: number
  readonly data: Uint8Array
}

/** What the days of one span say, gathered before it is known how wide the span's columns must be; used again for every span. */
class Gathering {
  readonly hours = new Float64Array(spanDays * hoursLength)
  /** One entry a day and subject: day, place of its name in `names`, count. */
  entries = new Float64Array(3 * 1_024)
  /** One entry a day and subject with a value: day, place, whole, billionths. */
  valued = new Float64Array(4 * 64)
  /** By place: the count of the whole span. */
  totals = new Float64Array(64)
  readonly names: number[] = []
  readonly placeOfName = new Map<number, number>()
  readonly placeOfSubject = new Map<number, number>()
  entriesEnd = 0
  valuedEnd = 0
  hourMax = 0

  clear(): void {
    this.hours.fill(0)
    this.names.length = 0
    this.placeOfName.clear()
    this.placeOfSubject.clear()
    this.entriesEnd = 0
    this.valuedEnd = 0
    this.hourMax = 0
  }

  add({ place: day, data }: StoredDay, nameOf: (subject: number) => number): void {
    const reader = new ByteReader(data)
    for (let i = 0, at = day * hoursLength; i < hoursLength; i++, at++) {
      const count = this.hours[at]! + reader.number()
      if (count > this.hourMax) this.hourMax = count
      this.hours[at] = count
    }
    for (let subject = 0; !reader.done; ) {
      subject += reader.number()
      const packed = reader.number()
      const count = Math.floor(packed / 2)
      const place = this.#placeOf(subject, nameOf)
      this.totals[place]! += count
      this.entries = withRoom(this.entries, this.entriesEnd + 3)
      this.entries[this.entriesEnd++] = day
      this.entries[this.entriesEnd++] = place
      this.entries[this.entriesEnd++] = count
      if (packed % 2 === 0) continue
      const { whole, billionths } = reader.decimal()
      this.valued = withRoom(this.valued, this.valuedEnd + 4)
      this.valued[this.valuedEnd++] = day
      this.valued[this.valuedEnd++] = place
      this.valued[this.valuedEnd++] = whole
      this.valued[this.valuedEnd++] = billionths
    }
  }

  #placeOf(subject: number, nameOf: (subject: number) => number): number {
    const known = this.placeOfSubject.get(subject)
    if (known !== undefined) return known
    const name = nameOf(subject)
    let place = this.placeOfName.get(name)
    if (place === undefined) {
      place = this.names.push(name) - 1
      this.placeOfName.set(name, place)
      this.totals = withRoom(this.totals, place + 1)
      this.totals[place] = 0
    }
    this.placeOfSubject.set(subject, place)
    return place
  }
}

const gathering = new Gathering()

/** Of days of which one place can have several. `nameOf` gives the index of a subject's name. */
export function buildSpan(
  firstDay: number,
  days: Iterable<StoredDay>,
  nameOf: (subject: number) => number,
): Span {
  gathering.clear()
  for (const day of days) gathering.add(day, nameOf)
  const { hourMax, totals, names } = gathering
  const width = names.length
  let largest = 0
  for (let place = 0; place < width; place++) largest = Math.max(largest, totals[place]!, names[place]!)
  const counts = new (largest < 2 ** 16 ? Uint16Array : Float64Array)((spanDays + 2) * width)
  counts.set(names)
  addEntries(counts, width)
  const { valuedWidth, values } = sumValues()
  const hours = new (hourMax < 2 ** 8 ? Uint8Array : hourMax < 2 ** 16 ? Uint16Array : Float64Array)(
    gathering.hours,
  )
  const bytes = 1_100 + counts.byteLength + hours.byteLength + values.byteLength
  return { firstDay, bytes, width, counts, valuedWidth, values, hours, days: daysOf(gathering.hours) }
}

function addEntries(counts: Uint16Array | Float64Array, width: number): void {
  const { entries, entriesEnd } = gathering
  for (let at = 0; at < entriesEnd; at += 3) {
    counts[(entries[at]! + 2) * width + entries[at + 1]!]! += entries[at + 2]!
  }
  runUp(counts, width, width)
}

function sumValues(): { valuedWidth: number; values: Float64Array } {
  const { valued, valuedEnd, names } = gathering
  /** By place: which of those with values it is. */
  const columns = new Map<number, number>()
  for (let at = 1; at < valuedEnd; at += 4)
    if (!columns.has(valued[at]!)) columns.set(valued[at]!, columns.size)
  const valuedWidth = columns.size
  const rowLength = valuedWidth * 2
  const values = new Float64Array(valuedWidth + (spanDays + 1) * rowLength)
  for (const [place, column] of columns) values[column] = names[place]!
  for (let at = 0; at < valuedEnd; at += 4) {
    const cell = valuedWidth + (valued[at]! + 1) * rowLength + columns.get(valued[at + 1]!)! * 2
    values[cell]! += valued[at + 2]!
    values[cell + 1]! += valued[at + 3]!
  }
  runUp(values, valuedWidth, rowLength)
  return { valuedWidth, values }
}

function daysOf(hours: Float64Array): Uint16Array | Float64Array {
  const days = new Float64Array(spanDays * 3)
  for (let day = 0, at = 0; day < days.length; day += 3) {
    for (let hour = 0; hour < 24; hour++) {
      days[day]! += hours[at++]!
      days[day + 1]! += hours[at++]!
      days[day + 2]! += hours[at++]!
    }
  }
  return days.every(count => count < 2 ** 16) ? Uint16Array.from(days) : days
}

/** Each boundary gets what the boundary before it has; rows of `width` that begin at `start`. */
function runUp(totals: Uint16Array | Float64Array, start: number, width: number): void {
  for (let at = start + width; at < totals.length; at++) totals[at]! += totals[at - width]!
}

function withRoom(numbers: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  if (length <= numbers.length) return numbers
  const larger = new Float64Array(Math.max(length, numbers.length * 2))
  larger.set(numbers)
  return larger
}
