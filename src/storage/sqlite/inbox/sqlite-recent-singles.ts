/**
 * The rows of single events that this process has put into the inbox last, each at the place that its id gives: reading them back when their
 * site is filed, from a table in which they lie far apart, takes as long as recording them (row 7 of docs/performance.md).
 */
import { allocateColumns, conversionType } from '../chunks/sqlite-event-columns.ts'
import type { IntakeNote } from '../health/sqlite-health.ts'
import { waysOf } from '../sightings/sqlite-sighting.ts'
import { plainNote } from './sqlite-inbox-note.ts'
import { byType, type SingleRow, type TakenEvents, type TypedEvents } from './sqlite-inbox-rows.ts'
import type { ChunkEvent } from './sqlite-single-chunk.ts'

/** As far as the inbox reaches back while sites are filed in their turns; 20 MiB when all are in use. */
const rowsMax = 2 ** 18
/** Numbers of a row. */
const rowLength = 10
const noArrival = -1

const placeOf = (id: number): number => (id % rowsMax) * rowLength

export class RecentSingles {
  #rows: Float64Array | null = null

  put({ type, recordedAt, arrival }: SingleRow, event: ChunkEvent): void {
    this.#rows ??= new Float64Array(rowsMax * rowLength)
    const rows = this.#rows
    const at = placeOf(event.id)
    rows[at] = event.id
    rows[at + 1] = type
    rows[at + 2] = recordedAt
    rows[at + 3] = arrival ?? noArrival
    rows[at + 4] = event.time
    rows[at + 5] = event.origin
    rows[at + 6] = event.path
    rows[at + 7] = event.country
    rows[at + 8] = event.sighting
    rows[at + 9] = event.value ?? Number.NaN
  }

  /** The rows of a site, in the order of arrival; null when one of them is not here. */
  take(ids: readonly number[]): TakenEvents | null {
    const rows = this.#rows
    if (!rows) return null
    const places = ids.map(placeOf)
    if (places.some((at, i) => rows[at] !== ids[i])) return null
    const notes = places.flatMap(at => noteOf(rows, at))
    return {
      events: byType(
        places,
        at => rows[at + 1]!,
        (type, ofType) => eventsAt(rows, type, ofType),
        notes,
      ),
      recorded: places.map(at => ({ events: 1, recordedAt: rows[at + 2]! })),
    }
  }

  /** To be called after a rollback, since the same ids may be given again. */
  forget(): void {
    this.#rows = null
  }
}

function noteOf(rows: Float64Array, at: number): IntakeNote[] {
  const arrival = rows[at + 3]!
  return arrival === noArrival ? [] : [plainNote(arrival, 1, rows[at + 2]!)]
}

function eventsAt(rows: Float64Array, type: number, places: readonly number[]): Omit<TypedEvents, 'notes'> {
  const columns = allocateColumns(places.length, type === conversionType)
  let ways = 0
  for (let i = 0; i < places.length; i++) {
    const at = places[i]!
    columns.id[i] = rows[at]!
    columns.time[i] = rows[at + 4]!
    columns.origin[i] = rows[at + 5]!
    columns.path[i] = rows[at + 6]!
    columns.country[i] = rows[at + 7]!
    columns.sighting[i] = rows[at + 8]!
    if (columns.value) columns.value[i] = rows[at + 9]!
    ways |= waysOf(rows[at + 8]!)
  }
  return { type, columns, ways }
}
