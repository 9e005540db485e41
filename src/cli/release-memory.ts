/** Frees what only the start needed, such as compiled modules and their sources: a fifth of the memory of an idle server. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** By then the first answer is out. The collection stops the process for about a tenth of a second. */
const delayMs = 1_000

export function releaseMemorySoon(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as (options: object) => void
    // A waiting callback keeps the object layout of callbacks alive. V8 would forget it otherwise, and never compile nextTick well
    // again: an answer would take a tenth longer.
    process.nextTick(() => undefined)
    collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }, delayMs).unref()
}
