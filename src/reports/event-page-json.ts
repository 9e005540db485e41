/**
 * Spells pages of events as JSON, straight into bytes: put together as text, a page took longer than reading it from the disk and sending
 * it (row 4 of docs/performance.md). An event is four pieces, which are remembered by their numbers, with its own numbers in
 * between: id, subject, value of a conversion, path, country, time.
 */
import { encodeCursor } from '../domain/cursor.ts'
import { dayMs, dayOf, formatDay } from '../domain/date-range.ts'
import { eventTypes } from '../domain/event.ts'
import type { EventPage, Subject } from '../storage/event-store.ts'
import { copiedBeyond, PieceMemory } from './piece-memory.ts'
import { fillTime, writeAscii, writeInteger, writeNumber } from './spell-bytes.ts'

const mebibyte = 2 ** 20
const conversion = eventTypes.indexOf('conversion')
const comma = 44

const opening = '{"events":[{"id":'
const emptyPage = '{"events":[],"next_cursor":null}'

/** From the id to the page, or to the value. */
function subjectPiece({ type, name, company }: Subject): string {
  const fields = {
    bot: `"bot_name":${JSON.stringify(name)},"bot_company":${JSON.stringify(company)},`,
    referral: `"source":${JSON.stringify(name)},`,
    conversion: `"event_name":${JSON.stringify(name)},"event_value":`,
  }
  return `,"type":"${type}",${fields[type]}`
}

const pathPiece = (path: string): string => `"page_path":${JSON.stringify(path)},"country":"`

/** From the country to the id of the next event. */
const dayPiece = (day: string): string => `","created_at":"${day}T00:00:00.000Z"},{"id":`
const someDay = dayPiece('2026-02-28')
const timeAt = someDay.indexOf('T') + 1
/** What the last event has too much of it. */
const nextBytes = ',{"id":'.length

/** Id, value with its comma, country, and time. */
const eventBytesMax = 16 + 26 + 2 + someDay.length
const closingBytesMax = '],"next_cursor":"'.length + 24 + '"}'.length + copiedBeyond

export class EventPageJson {
  readonly #subjects = new PieceMemory(8 * mebibyte)
  readonly #paths = new PieceMemory(32 * mebibyte)
  readonly #days = new PieceMemory(mebibyte)
  /** Of the page at hand. */
  #subjectPlaces = new Uint32Array(0)
  #pathPlaces = new Uint32Array(0)

  /** The first `limit` events of a page (EventListReport), with a cursor when it has more; in memory from `take`. */
  spell(page: EventPage, limit: number, take: (length: number) => Buffer): Buffer {
    const count = Math.min(page.count, limit)
    if (count === 0) return Buffer.from(emptyPage)
    this.#findPieces(page, count)
    const pieceBytes =
      this.#subjects.lengthOf(this.#subjectPlaces, count) + this.#paths.lengthOf(this.#pathPlaces, count)
    const bytes = take(opening.length + pieceBytes + count * eventBytesMax + closingBytesMax)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const end = this.#writeEvents(view, page, count)
    const last = { createdAt: page.times[count - 1]!, id: page.ids[count - 1]! }
    const cursor = page.count > count ? `"${encodeCursor(last)}"` : 'null'
    return bytes.subarray(0, writeAscii(view, end, `],"next_cursor":${cursor}}`))
  }

  #findPieces(page: EventPage, count: number): void {
    if (count > this.#pathPlaces.length) {
      this.#subjectPlaces = new Uint32Array(count)
      this.#pathPlaces = new Uint32Array(count)
    }
    this.#subjects.begin()
    if (!this.#subjects.findAll(page.subjects, count, this.#subjectPlaces))
      for (let i = 0; i < count; i++) {
        const number = page.subjects[i]!
        this.#subjectPlaces[i] ||= placeOf(
          this.#subjects,
          number,
          () => page.subjectsNear(number),
          subjectPiece,
        )
      }
    this.#paths.begin()
    if (!this.#paths.findAll(page.paths, count, this.#pathPlaces))
      for (let i = 0; i < count; i++) {
        const number = page.paths[i]!
        this.#pathPlaces[i] ||= placeOf(this.#paths, number, () => page.pathsNear(number), pathPiece)
      }
    this.#days.begin()
  }

  #writeEvents(view: DataView, page: EventPage, count: number): number {
    const { ids, times, types, countries, values } = page
    const subjects = this.#subjects
    const subjectPlaces = this.#subjectPlaces
    const paths = this.#paths
    const pathPlaces = this.#pathPlaces
    const days = this.#days
    let dayStart = Number.NaN
    let dayPlace = 0
    let at = writeAscii(view, 0, opening)
    for (let i = 0; i < count; i++) {
      at = writeInteger(view, at, ids[i]!)
      at = subjects.copy(subjectPlaces[i]!, view, at)
      if (types[i] === conversion) {
        at = writeNumber(view, at, values[i]!)
        view.setUint8(at++, comma)
      }
      at = paths.copy(pathPlaces[i]!, view, at)
      view.setUint16(at, countries[i]!)
      let timeOfDay = times[i]! - dayStart
      // Events come newest first, so most are of the day of the one before.
      if (!(timeOfDay >= 0 && timeOfDay < dayMs)) {
        const day = dayOf(times[i]!)
        dayStart = day * dayMs
        dayPlace = days.find(day) || days.remember(day, dayPiece(formatDay(day)))
        timeOfDay = times[i]! - dayStart
      }
      const dayAt = at + 2
      at = days.copy(dayPlace, view, dayAt)
      fillTime(view, dayAt + timeAt, timeOfDay)
    }
    return at - nextBytes
  }
}

/** The place of a piece; one that is not known is remembered together with its neighbours. */
function placeOf<Value>(
  pieces: PieceMemory,
  number: number,
  near: () => ReadonlyMap<number, Value>,
  pieceOf: (value: Value) => string,
): number {
  const known = pieces.find(number)
  if (known !== 0) return known
  for (const [each, value] of near()) if (pieces.find(each) === 0) pieces.remember(each, pieceOf(value))
  return pieces.find(number)
}
