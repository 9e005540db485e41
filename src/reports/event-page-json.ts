/**
 * Spells pages of events as JSON, straight into bytes: put together as text, a page took longer than reading it from the disk and sending
 * it (row 4 of docs/performance.md). An event is four pieces, which are remembered by their numbers, with its own numbers in
 * between: id, subject, value of a conversion, path, country, time.
 */
import { encodeCursor } from '../domain/cursor.ts'
import { dayMs, dayOf, formatDay } from '../domain/date-range.ts'
import { eventTypes } from '../domain/event.ts'
import type { EventPage, Subject } from '../storage/event-store.ts'
import type { AnswerBuffers } from './answer-buffers.ts'
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
  readonly #subjects = new PieceMemory(16 * mebibyte)
  readonly #paths = new PieceMemory(48 * mebibyte)
  readonly #days = new PieceMemory(mebibyte)
  #subjectPlaces = new Uint32Array(0)
  #pathPlaces = new Uint32Array(0)
  readonly #buffers: AnswerBuffers

  constructor(buffers: AnswerBuffers) {
    this.#buffers = buffers
  }

  /** The first `limit` events of a page (EventListReport), with a cursor when it has more. */
  spell(page: EventPage, limit: number): Buffer {
    const count = Math.min(page.count, limit)
    if (count === 0) return Buffer.from(emptyPage)
    const pieceBytes = this.#findPieces(page, count)
    const buffer = this.#buffers.lend(opening.length + pieceBytes + count * eventBytesMax + closingBytesMax)
    const view = new DataView(buffer)
    const end = this.#writeEvents(view, page, count)
    const last = { createdAt: page.times[count - 1]!, id: page.ids[count - 1]! }
    const cursor = page.count > count ? `"${encodeCursor(last)}"` : 'null'
    return Buffer.from(buffer, 0, writeAscii(view, end, `],"next_cursor":${cursor}}`))
  }

  /** Finds the places of the pieces of a page; gives back how long they are together. */
  #findPieces(page: EventPage, count: number): number {
    const subjects = this.#subjects
    const paths = this.#paths
    subjects.begin()
    paths.begin()
    this.#days.begin()
    if (count > this.#subjectPlaces.length) {
      this.#subjectPlaces = new Uint32Array(count)
      this.#pathPlaces = new Uint32Array(count)
    }
    let bytes = 0
    for (let i = 0; i < count; i++) {
      const subject = page.subjects[i]!
      const path = page.paths[i]!
      const subjectPlace =
        subjects.find(subject) || subjects.remember(subject, subjectPiece(page.subject(subject)))
      const pathPlace = paths.find(path) || paths.remember(path, pathPiece(page.path(path)))
      bytes += subjects.lengthAt(subjectPlace) + paths.lengthAt(pathPlace)
      this.#subjectPlaces[i] = subjectPlace
      this.#pathPlaces[i] = pathPlace
    }
    return bytes
  }

  #writeEvents(view: DataView, page: EventPage, count: number): number {
    const { ids, times, types, countries, values } = page
    const days = this.#days
    let at = writeAscii(view, 0, opening)
    for (let i = 0; i < count; i++) {
      at = writeInteger(view, at, ids[i]!)
      at = this.#subjects.copy(this.#subjectPlaces[i]!, view, at)
      if (types[i] === conversion) {
        at = writeNumber(view, at, values[i]!)
        view.setUint8(at++, comma)
      }
      at = this.#paths.copy(this.#pathPlaces[i]!, view, at)
      view.setUint16(at, countries[i]!)
      at += 2
      const time = times[i]!
      const day = dayOf(time)
      const timeOfDay = time - day * dayMs
      const dayAt = at
      at = days.copy(days.find(day) || days.remember(day, dayPiece(formatDay(day))), view, at)
      fillTime(view, dayAt + timeAt, timeOfDay)
    }
    return at - nextBytes
  }
}
