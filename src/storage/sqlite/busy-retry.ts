/**
 * Waits for other processes on the same file. SQLite's own waiting sleeps up to 100 ms a step, which is longer than the pause between two
 * commits of a busy writer; and for some locks SQLite does not wait at all.
 */

const stepMs = 0.1
const sqliteBusy = 5

/** Tries again while another process holds the file, for so many milliseconds; then throws what SQLite said. */
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

/** Whether another process held the file, and nothing was done. */
export const isBusy = (error: unknown): boolean => sqliteCodeOf(error) === sqliteBusy

/** The primary code of an error of SQLite, which is its low byte. Null for other errors. */
export function sqliteCodeOf(error: unknown): number | null {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code & 255 : null
}
