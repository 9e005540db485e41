/** What is put into the inbox, and what is taken from it. */
import { eventTypes } from '../../../domain/event.ts'
import type { EventColumns } from '../chunks/sqlite-event-columns.ts'
import type { IntakeNote } from '../health/sqlite-health.ts'

/** Events of one type of one site. */
export interface TypedEvents {
  readonly type: number
  readonly columns: EventColumns
  readonly ways: number
  /** What is to be counted in the health of the site; a request gives its own to one of its rows. */
  readonly notes: readonly IntakeNote[]
}

export interface InboxRow extends TypedEvents {
  readonly recordedAt: number
}

export interface SingleRow extends Pick<InboxRow, 'type' | 'ways' | 'recordedAt'> {
  /** How it came in, by the place in `arrivals`; null where that is not to be counted. */
  readonly arrival: number | null
}

/** Events that were recorded together. */
export interface Recorded {
  readonly events: number
  readonly recordedAt: number
}

/** What has waited for a site: in the order of arrival, of each type once. */
export interface TakenEvents {
  readonly events: readonly TypedEvents[]
  readonly recorded: readonly Recorded[]
}

/** Rows of a site of each type together; their notes as well, since the pauses between deliveries are counted. */
export function byType<Row>(
  rows: readonly Row[],
  typeOf: (row: Row) => number,
  join: (type: number, rows: readonly Row[]) => Omit<TypedEvents, 'notes'>,
  notes: readonly IntakeNote[],
): TypedEvents[] {
  return eventTypes
    .map((_, type) => ({ type, ofType: rows.filter(row => typeOf(row) === type) }))
    .filter(({ ofType }) => ofType.length > 0)
    .map(({ type, ofType }, i) => ({ ...join(type, ofType), notes: i === 0 ? notes : [] }))
}
