/**
 * Spells pages of events as JSON, straight into bytes: put together as text, a page took longer than reading it from the disk and sending
 * it (row 4 of docs/performance.md). An event is three pieces, which are remembered by what they spell, with its own numbers in
 * between: id, subject, value of a conversion, path, country, time.
 */
import { encodeCursor } from '../domain/cursor.ts'
import type { EventPage, Subject } from '../storage/event-store.ts'
import { EventSpeller, eventBytesMax } from './event-speller.ts'
import type { PieceMemory } from './piece-memory.ts'

const mebibyte = 2 ** 20

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

/** What the last event has too much behind it. */
const nextBytes = ',{"id":'.length
const closingBytesMax = '],"next_cursor":"'.length + 24 + '"}'.length

/** To be made when the first page is asked for: its memory and its compiled loop would weigh on servers that list nothing. */
export class EventPageJson {
  readonly #speller = new EventSpeller(8 * mebibyte, 32 * mebibyte)
  /** Of the page at hand. */
  #subjectPlaces = new Uint32Array(0)
  #pathPlaces = new Uint32Array(0)

  /** The first `limit` events of a page (EventListReport), with a cursor when it has more; in memory from `take`. */
  spell(page: EventPage, limit: number, take: (length: number) => Buffer): Buffer {
    const count = Math.min(page.count, limit)
    if (count === 0) return Buffer.from(emptyPage)
    this.#findPieces(page, count)
    const { subjects, paths } = this.#speller
    const pieceBytes = subjects.lengthOf(this.#subjectPlaces, count) + paths.lengthOf(this.#pathPlaces, count)
    const bytes = take(opening.length + pieceBytes + count * eventBytesMax + closingBytesMax)
    const { ids, times, types, countries, values } = page
    const rows = {
      ...{ count, ids, times, countries, types, values },
      ...{ subjects: this.#subjectPlaces, paths: this.#pathPlaces },
    }
    const start = bytes.write(opening, 'latin1')
    const end = this.#speller.write(rows, pieceBytes, bytes, start) - nextBytes
    const last = { createdAt: times[count - 1]!, id: ids[count - 1]! }
    const cursor = page.count > count ? `"${encodeCursor(last)}"` : 'null'
    return bytes.subarray(0, end + bytes.write(`],"next_cursor":${cursor}}`, end, 'latin1'))
  }

  #findPieces(page: EventPage, count: number): void {
    const { subjects, paths } = this.#speller
    if (count > this.#pathPlaces.length) {
      this.#subjectPlaces = new Uint32Array(count)
      this.#pathPlaces = new Uint32Array(count)
    }
    subjects.begin()
    if (!subjects.findAll(page.subjects, count, this.#subjectPlaces))
      for (let i = 0; i < count; i++) {
        const number = page.subjects[i]!
        this.#subjectPlaces[i] ||= placeOf(subjects, number, () => page.subjectsNear(number), subjectPiece)
      }
    paths.begin()
    if (!paths.findAll(page.paths, count, this.#pathPlaces))
      for (let i = 0; i < count; i++) {
        const number = page.paths[i]!
        this.#pathPlaces[i] ||= placeOf(paths, number, () => page.pathsNear(number), pathPiece)
      }
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
