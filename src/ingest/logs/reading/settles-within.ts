/** Waits at most a given time for something that may never happen, such as more bytes of a pipe. */

/** True as soon as the promise is settled, either way; false after `timeoutMs` or when the signal aborts. */
export function settlesWithin(
  promise: Promise<unknown>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  return new Promise(resolve => {
    const finish = (settled: boolean): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      resolve(settled)
    }
    const giveUp = (): void => finish(false)
    const timer = setTimeout(giveUp, timeoutMs)
    signal.addEventListener('abort', giveUp)
    if (signal.aborted) giveUp()
    const settle = (): void => finish(true)
    promise.then(settle, settle)
  })
}

/** Returns after `ms`, or as soon as the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await settlesWithin(new Promise(() => {}), ms, signal)
}
