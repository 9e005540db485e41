/** The command line inside the test's own process: for the many ways to use it wrongly, each too cheap for a process of its own. */
import { PassThrough } from 'node:stream'
import { run } from '../../src/cli/run.ts'
import { systemClock } from '../../src/domain/clock.ts'
import { openStores } from '../../src/server/engine.ts'
import type { Ending, Settings } from './program.ts'

export async function runCommand(argv: readonly string[], settings: Settings = {}): Promise<Ending> {
  const read = { stdout: '', stderr: '' }
  const [stdout, stderr] = (['stdout', 'stderr'] as const).map(name => {
    const stream = new PassThrough()
    stream.setEncoding('utf8').on('data', text => {
      read[name] += text
    })
    return stream as unknown as NodeJS.WriteStream
  })
  const code = await run({
    arguments: argv,
    environment: settings,
    stdin: new PassThrough(),
    stdout: stdout!,
    stderr: stderr!,
    clock: systemClock,
    version: '0.0.0-test',
    stop: new AbortController().signal,
    openStores,
    openServer: () => Promise.reject(new Error('These tests start no server.')),
  })
  // What was written last is read in the next turns.
  await new Promise(resolve => setImmediate(resolve))
  return { code, ...read }
}
