/** What happens when further threads start, or cannot: the start itself, without a server around it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { temporaryFolder } from '../tests/support/temporary-folder.ts'
import { readConfig } from './config.ts'
import { memoryOf, openLimits } from './http/limits.ts'
import { ServingThreads } from './serving-threads.ts'

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

/** Threads for a port that somebody who shares it with nobody has, so that none of them can listen. */
async function openThreads(context: TestContext, data = temporaryFolder()): Promise<Opened> {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  context.after(() => other.close())
  const listening: number[] = []
  const failed: Error[] = []
  const threads = new ServingThreads({
    most: 3,
    config: readConfig({ FOOTFALL_DATA: data }),
    version: '1',
    address: { host: '127.0.0.1', port: (other.address() as AddressInfo).port, reusePort: true },
    memory: memoryOf(openLimits()),
    writeLog: () => undefined,
    serveWriter: port => port.close(),
    writerPerformance: () => null,
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
    const opened = await openThreads(context, path.join(import.meta.filename, 'data'))
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
