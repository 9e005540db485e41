/** Long work waits in line for a round of the event loop of its own, so that short requests are answered in between (row 8 of docs/performance.md). */
import { setImmediate } from 'node:timers/promises'

let last: Promise<void> = Promise.resolve()

/** Resolves in a later round of the event loop, in which nobody else's does. */
export function nextRound(): Promise<void> {
  last = last.then(() => setImmediate())
  return last
}
