/**
 * Gives back what only starting needed (compiled modules, their sources): a server that idles on a small machine holds a
 * fifth less memory (row 11 of docs/performance.md).
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Starting is over by then, and the pause of about a tenth of a second meets no one who waits for the first answer. */
const delayMs = 1_000

export function releaseMemorySoon(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as (options: object) => void
    // One that waits keeps alive how its kind is laid out in memory. Without any, the engine forgets that, never compiles nextTick well
    // again, and an answer takes a tenth longer (row 1 of docs/performance.md).
    process.nextTick(() => undefined)
    collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }, delayMs).unref()
}
