/** Reads that belong together, seen at one moment: writers commit between two statements, and an answer must not show half a batch. */
import type { DatabaseSync } from 'node:sqlite'

/** Runs a function whose statements all see the database as it was at the first of them. Not to be nested. */
export type Snapshot = <Value>(read: () => Value) => Value

export function createSnapshot(reader: DatabaseSync): Snapshot {
  const begin = reader.prepare('BEGIN')
  const end = reader.prepare('COMMIT')
  return read => {
    begin.run()
    try {
      return read()
    } finally {
      end.run()
    }
  }
}
