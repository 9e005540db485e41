/** Starts and watches recording-process.ts. */
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Exit, startProcess } from '../../support/child-processes.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const compileCache = temporaryFolder()
const script = join(import.meta.dirname, 'recording-process.ts')

export interface Recording {
  /** Numbers of the batches that were acknowledged so far. */
  readonly acknowledged: Set<number>
  /** Resolves at the next acknowledgement, or at the end; rejects after the end, since who waits then waits for what never comes. */
  next(): Promise<void>
  /** Ends it in order; resolves when it has finished what was in flight. */
  stop(): Promise<Exit>
  /** SIGKILL; resolves when it is gone and all that it printed was read. */
  kill(): Promise<Exit>
}

export function startRecording(
  file: string,
  { site, first = 0, inFlight = 4 }: { site: number; first?: number; inFlight?: number },
  onAcknowledged: (number: number) => void = () => {},
): Recording {
  const { child, exit } = startProcess(process.execPath, [script, file, site, first, inFlight].map(String), {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Later starts take half the time.
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  })
  const acknowledged = new Set<number>()
  let wake = (): void => {}
  createInterface({ input: child.stdout! }).on('line', line => {
    acknowledged.add(Number(line))
    onAcknowledged(Number(line))
    wake()
  })
  child.stdin!.on('error', () => {})
  let ended: Exit | null = null
  void exit.then(how => {
    ended = how
    wake()
  })
  return {
    acknowledged,
    next: () =>
      new Promise((resolve, reject) => {
        if (ended) reject(new Error(`The recording process has ended: ${JSON.stringify(ended)}`))
        wake = resolve
      }),
    async stop() {
      child.stdin!.end()
      return exit
    },
    async kill() {
      child.kill('SIGKILL')
      return exit
    },
  }
}
