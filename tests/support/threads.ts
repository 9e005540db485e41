/** The same module in several threads at once, for what threads share. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/**
 * Runs `source`, which gets `data` and the number of its `thread` as `workerData`, and `together()`: it returns when every thread has called
 * it as often. What a thread hands to `tell` is its result. A thread that fails ends all.
 */
export async function inThreads<Result>(count: number, source: string, data: object): Promise<Result[]> {
  const url = new URL(`data:text/javascript,${encodeURIComponent(beginning + source)}`)
  const waiting = new SharedArrayBuffer(4)
  const threads = Array.from(
    { length: count },
    (_, thread) => new Worker(url, { workerData: { ...data, thread, count, waiting } }),
  )
  try {
    return await Promise.all(threads.map(async thread => (await once(thread, 'message'))[0] as Result))
  } finally {
    await Promise.all(threads.map(thread => thread.terminate()))
  }
}

const beginning = `
  import { parentPort, workerData } from 'node:worker_threads'
  const tell = result => parentPort.postMessage(result)
  const waiting = new Int32Array(workerData.waiting)
  let rounds = 0
  function together() {
    const all = ++rounds * workerData.count
    if (Atomics.add(waiting, 0, 1) === all - 1) Atomics.notify(waiting, 0)
    for (let seen; (seen = Atomics.load(waiting, 0)) < all; ) Atomics.wait(waiting, 0, seen, 50)
  }
`
