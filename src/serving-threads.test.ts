/** What happens when further threads start, or cannot: the start itself, without a server around it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { temporaryFolder } from '../tests/support/temporary-folder.ts'
import { readConfig } from './config.ts'
import { memoryOf, openLimits } from './http/limits.ts'
import { ServingThreads, type ServingThreadsParts } from './serving-threads.ts'

/** Uses all of this thread's time. */
async function work(ms: number): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end; await setTimeout(1))
    for (const turn = performance.now() + 50; performance.now() < turn; );
}

interface Opened {
  readonly threads: ServingThreads
  readonly listening: number[]
  readonly failed: Error[]
}

interface Given extends Partial<Pick<ServingThreadsParts, 'most' | 'writerPerformance'>> {
  readonly data?: string
}

/** Threads for a port that somebody who shares it with nobody has, so that none of them can listen. */
async function openThreads(
  context: TestContext,
  { most = 3, data = temporaryFolder(), writerPerformance = () => null }: Given = {},
): Promise<Opened> {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  context.after(() => other.close())
  const listening: number[] = []
  const failed: Error[] = []
  const threads = new ServingThreads({
    most,
    config: readConfig({ PUGMARK_DATA: data }),
    version: '1',
    address: { host: '127.0.0.1', port: (other.address() as AddressInfo).port, reusePort: true },
    memory: memoryOf(openLimits()),
    writeLog: () => undefined,
    serveWriter: port => port.close(),
    writerPerformance,
    shareSpans: port => port.close(),
    onListening: serving => listening.push(serving),
    onFailed: error => failed.push(error),
  })
  return { threads, listening, failed }
}

const patienceMs = 20_000

/** Whether it resolves while somebody would wait. */
const resolves = (promise: Promise<void>): Promise<boolean> =>
  Promise.race([promise.then(() => true), setTimeout(patienceMs, false, { ref: false })])

async function failure({ failed }: Opened): Promise<Error> {
  for (const end = performance.now() + patienceMs; failed.length === 0 && performance.now() < end; )
    await work(100)
  return failed[0]!
}

describe('a further thread that cannot start', () => {
  test('says why, and the others go on and end when they are told to', async context => {
    const opened = await openThreads(context)
    assert.match(String(await failure(opened)), /EADDRINUSE/)
    await setTimeout(100)
    assert.ok(await resolves(opened.threads.close()))
    assert.deepEqual(opened.listening, [])
  })

  test('because it cannot open the data ends nobody either', async context => {
    const opened = await openThreads(context, { data: path.join(import.meta.filename, 'data') })
    assert.match(String(await failure(opened)), /The data folder .* cannot be used/)
    assert.ok(await resolves(opened.threads.close()))
  })

  test('ends when it is told to while it starts', async context => {
    const opened = await openThreads(context)
    await work(1_700)
    assert.ok(await resolves(opened.threads.close()))
  })
})

test('none starts for work that is over soon, also not when it is the first', async context => {
  const opened = await openThreads(context)
  await setTimeout(400)
  await work(700)
  await setTimeout(2_000)
  assert.deepEqual(opened.failed, [])
  await opened.threads.close()
})

/** A thread that uses half of its time until it is terminated. */
const busyHalf = `setInterval(() => { for (const end = performance.now() + 10; performance.now() < end; ); }, 20)`

test('a busy writer counts as one of the threads', async context => {
  const writer = new Worker(busyHalf, { eval: true })
  const ended = once(writer, 'exit')
  context.after(() => writer.terminate())
  let isWriting = true
  const opened = await openThreads(context, {
    most: 2,
    writerPerformance: () => (isWriting ? writer.performance : null),
  })
  await once(writer, 'online')
  await work(3_000)
  assert.deepEqual(opened.failed, [])
  isWriting = false
  await writer.terminate()
  await ended
  assert.match(String(await failure(opened)), /EADDRINUSE/)
  await opened.threads.close()
})
