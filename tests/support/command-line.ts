/** The command line inside the test's own process: for the many ways to use it wrongly, each too cheap for a process of its own. */
import { PassThrough } from 'node:stream'
import type { CliContext } from '../../src/cli/cli-context.ts'
import { run } from '../../src/cli/run.ts'
import { systemClock } from '../../src/domain/clock.ts'
import { openStores } from '../../src/server/engine.ts'
import type { Ending, Settings } from './program.ts'

export async function runCommand(argv: readonly string[], settings: Settings = {}): Promise<Ending> {
  const context = contextOf(argv, settings)
  const read = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    context[name].setEncoding('utf8').on('data', text => {
      read[name] += text
    })
  }
  const code = await run(context)
  // What was written last is read in the next turns.
  await new Promise(resolve => setImmediate(resolve))
  return { code, ...read }
}

type TestContext = CliContext & Readonly<Record<'stdout' | 'stderr', PassThrough>>

/** What `main.ts` hands to the command line, with streams that nobody reads yet. */
export const contextOf = (argv: readonly string[], settings: Settings = {}): TestContext => ({
  arguments: argv,
  environment: settings,
  stdin: new PassThrough(),
  stdout: outputStream(),
  stderr: outputStream(),
  clock: systemClock,
  version: '0.0.0-test',
  stop: new AbortController().signal,
  openStores,
  openServer: () => Promise.reject(new Error('These tests start no server.')),
})

const outputStream = () => new PassThrough() as unknown as NodeJS.WriteStream & PassThrough
