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
  /** Indexes of the names that occur, into the list of names of the site. */
  readonly names: Uint32Array
  /** At each of the 33 boundaries between days: a running count for each of `names`. */
  readonly counts: Uint16Array | Float64Array
  /** Which of `names` have values, and their running sums, split as in domain/money.ts. */
  readonly valued: Uint32Array
  readonly wholes: Float64Array
  readonly billionths: Float64Array
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
      const count = reader.number()
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

/** `nameOf` gives the index of a subject's name. */
export function buildSpan(
  firstDay: number,
  days: Iterable<StoredDay>,
  nameOf: (subject: number) => number,
): Span {
  gathering.clear()
  for (const day of days) gathering.add(day, nameOf)
  const { hourMax, totals, valued: values, valuedEnd } = gathering
  const names = Uint32Array.from(gathering.names)
  const width = names.length
  let countMax = 0
  for (let place = 0; place < width; place++) countMax = Math.max(countMax, totals[place]!)
  const counts = new (countMax < 2 ** 16 ? Uint16Array : Float64Array)((spanDays + 1) * width)
  addEntries(counts, width)
  const valued = placesWithValues(values, valuedEnd)
  const sums = sumValues(values, valuedEnd, valued)
  const hours = new (hourMax < 2 ** 8 ? Uint8Array : hourMax < 2 ** 16 ? Uint16Array : Float64Array)(
    gathering.hours,
  )
  const bytes = 1_300 + counts.byteLength + hours.byteLength + sums.wholes.byteLength * 2 + names.byteLength
  return { firstDay, bytes, names, counts, valued, ...sums, hours, days: daysOf(gathering.hours) }
}

function addEntries(counts: Uint16Array | Float64Array, width: number): void {
  const { entries, entriesEnd } = gathering
  for (let at = 0; at < entriesEnd; at += 3) {
    counts[(entries[at]! + 1) * width + entries[at + 1]!]! += entries[at + 2]!
  }
  runUp(counts, width)
}

const placesWithValues = (values: Float64Array, end: number): Uint32Array => {
  const places = new Set<number>()
  for (let at = 1; at < end; at += 4) places.add(values[at]!)
  return Uint32Array.from(places)
}

function sumValues(
  values: Float64Array,
  end: number,
  valued: Uint32Array,
): { wholes: Float64Array; billionths: Float64Array } {
  const width = valued.length
  const wholes = new Float64Array((spanDays + 1) * width)
  const billionths = new Float64Array((spanDays + 1) * width)
  for (let at = 0; at < end; at += 4) {
    const cell = (values[at]! + 1) * width + valued.indexOf(values[at + 1]!)
    wholes[cell]! += values[at + 2]!
    billionths[cell]! += values[at + 3]!
  }
  runUp(wholes, width)
  runUp(billionths, width)
  return { wholes, billionths }
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

/** Each boundary gets what the boundary before it has. */
function runUp(totals: Uint16Array | Float64Array, width: number): void {
  for (let at = width; at < totals.length; at++) totals[at]! += totals[at - width]!
}

function withRoom(numbers: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  if (length <= numbers.length) return numbers
  const larger = new Float64Array(Math.max(length, numbers.length * 2))
  larger.set(numbers)
  return larger
}
