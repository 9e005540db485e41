/** Starts programs of the tests, and leaves none behind: whatever still runs when a test file ends is killed. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'

const running = new Set<ChildProcess>()

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
// The test runner ends a file that takes too long by a signal, and a signal alone would skip what stands above.
process.once('SIGTERM', () => process.exit(143))

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface StartedProcess {
  readonly child: ChildProcess
  /** Resolves when the process has ended and all of its output has arrived. */
  readonly exit: Promise<Exit>
}

export function startProcess(
  command: string,
  argv: readonly string[],
  options: SpawnOptions,
): StartedProcess {
  const child = spawn(command, argv, options)
  running.add(child)
  const exit = new Promise<Exit>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      running.delete(child)
      resolve({ code, signal })
    })
  })
  return { child, exit }
}
