/**
 * Waits while another process holds a lock on the file. SQLite's own busy timeout sleeps up to 100 ms at a time, which is longer than the
 * pause between two commits of a busy writer. For some locks SQLite does not wait at all.
 */

const stepMs = 0.1
const sqliteBusy = 5

/** Retries while another process holds the file, for at most `patienceMs` milliseconds. Then throws the error of SQLite. */
export function retryWhileBusy<Value>(action: () => Value, patienceMs: number): Value {
  const deadline = performance.now() + patienceMs
  const sleepCell = new Int32Array(new SharedArrayBuffer(4))
  for (;;) {
    try {
      return action()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      Atomics.wait(sleepCell, 0, 0, stepMs)
    }
  }
}

/** True when the statement did nothing because another process held the file. */
export const isBusy = (error: unknown): boolean => sqliteCodeOf(error) === sqliteBusy

/** The primary result code of an SQLite error, which is its low byte. Null for other errors. */
export function sqliteCodeOf(error: unknown): number | null {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code & 255 : null
}
