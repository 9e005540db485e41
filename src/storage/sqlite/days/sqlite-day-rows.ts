/**
 * Reads the roll-ups of neighbouring days as one value: a buffer of its own for each of 180,000 days stayed behind as memory that nobody
 * used, and took a third of the time to read them (row 11 of docs/performance.md).
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** As bytes of seven bits, which are bytes of the text as well. */
const length = [0, 7, 14, 21].map(bits => `length(data) >> ${bits} & 127`)

export class DayRows {
  readonly #rows: StatementSync

  constructor(reader: DatabaseSync) {
    // SQLite neither looks into what is cast nor stops at a zero in it.
    this.#rows = reader.prepare(
      `SELECT CAST(group_concat(char(key & 31, ${length}) || CAST(data AS TEXT), '') AS BLOB)
       FROM day WHERE key BETWEEN ? AND ?`,
    )
    this.#rows.setReturnArrays(true)
  }

  /** The days from one key to another: of each its place in the span, its length and its bytes, to be read with `readDays`. */
  between(first: number, last: number): Uint8Array {
    const [days] = this.#rows.get(first, last) as unknown as [Uint8Array | null]
    return days ?? noDays
  }
}

const noDays = new Uint8Array()

/** Calls `read` for each day with its place, and where its bytes begin and end. */
export function readDays(days: Uint8Array, read: (place: number, from: number, end: number) => void): void {
  for (let at = 0; at < days.length; ) {
    const place = days[at]!
    const from = at + 5
    const end =
      from + days[at + 1]! + days[at + 2]! * 2 ** 7 + days[at + 3]! * 2 ** 14 + days[at + 4]! * 2 ** 21
    read(place, from, end)
    at = end
  }
}
