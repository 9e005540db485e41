/**
 * Waits for other processes on the same file. SQLite's own waiting sleeps up to 100 ms a step, so that who waits for a busy writer hardly
 * ever finds the moment between two of its commits; and for some locks it does not wait at all.
 */

const stepMs = 0.1
const sqliteBusy = 5
const sleepCell = new Int32Array(new SharedArrayBuffer(4))

/** Tries again while another process is in the way, for so many milliseconds; then throws what SQLite said. */
export function patiently<Value>(action: () => Value, patienceMs: number): Value {
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      return action()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      Atomics.wait(sleepCell, 0, 0, stepMs)
    }
  }
}

/** Whether another process was in the way, and nothing was done. */
export const isBusy = (error: unknown): boolean => sqliteCodeOf(error) === sqliteBusy

/** The primary code of an error of SQLite: the low byte, whose rest says more precisely why. Null for other errors. */
export function sqliteCodeOf(error: unknown): number | null {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code & 255 : null
}
