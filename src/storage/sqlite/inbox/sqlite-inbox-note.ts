/**
 * What came in with a row of the inbox, in the words in which it is stored: of most rows no more is to be told than how they came in, and a note
 * in full would be longer than their events (row 7 of docs/performance.md).
 */
import type { IntakeNote } from '../health/sqlite-health.ts'

export const spellNote = (note: IntakeNote, events: number): string =>
  String(plainArrival(note, events) ?? JSON.stringify(note))

/** The way in, where it says all: that what came in are the events of the row, in time. */
export function plainArrival(note: IntakeNote, events: number): number | undefined {
  const { arrival, recorded, merged, late, duplicates, ignored, rejected } = note
  const isPlain =
    recorded === events && merged + late + duplicates + rejected === 0 && Object.keys(ignored).length === 0
  return isPlain ? arrival : undefined
}

/** The note of events that came in time, and nothing else with them. */
export const plainNote = (arrival: number, recorded: number, now: number): IntakeNote => ({
  ...{ arrival, now, recorded },
  ...{ merged: 0, late: 0, duplicates: 0, ignored: {}, rejected: 0, reason: '' },
})

export function readNote(text: string, events: number, recordedAt: number): IntakeNote {
  const read = JSON.parse(text) as IntakeNote | number
  return typeof read === 'number' ? plainNote(read, events, recordedAt) : read
}
