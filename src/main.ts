/** The entry of the program: passes arguments, environment and signals to the command line. */
import { readFileSync } from 'node:fs'
import { run } from './cli/run.ts'
import { systemClock } from './domain/clock.ts'
import { openStores } from './server/engine.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

const stopping = new AbortController()
/** npm and npx pass on a Ctrl-C that the terminal has already sent here: a second signal so soon is the same key press. */
const sameKeyPressMs = 1_000
let stoppedAtMs = 0
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (!stopping.signal.aborted) {
      stoppedAtMs = systemClock()
      stopping.abort()
    } else if (systemClock() - stoppedAtMs > sameKeyPressMs) {
      // A second Ctrl-C does not wait.
      process.exit(130)
    }
  })
}
// A reader that goes away (`| head`) is no error.
process.stdout.on('error', () => undefined)

process.exitCode = await run({
  arguments: process.argv.slice(2),
  environment: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  version,
  stop: stopping.signal,
  openStores,
  // Loaded here, since a command that starts no server would take twice as long with it.
  openServer: async config => (await import('./server/compose.ts')).openServer(config, version, systemClock),
})

if (stopping.signal.aborted) {
  // A program that ends by itself gives up its signal handlers first. The second signal of a key press would kill it then.
  await new Promise(resolve => process.stdout.write('', resolve))
  process.exit()
}
