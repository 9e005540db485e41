/** A real server: the program in a process of its own, on a port that the system picks. */
import { setTimeout } from 'node:timers/promises'
import { startProcess } from './child-processes.ts'
import { environmentWith, mainFile, root, type Settings } from './program.ts'
import { temporaryFolder } from './temporary-folder.ts'

export type LogLine = Readonly<Record<string, unknown>>

export interface RunningServer {
  /** http://127.0.0.1:PORT */
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Folder of its data. */
  readonly data: string
  /** What it has printed so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** Lines of its log so far. Throws when one is not JSON. */
  log(): LogLine[]
  /** Resolves when such a line is in the log, which is written in blocks; rejects after a few seconds. */
  logged(isWanted: (line: LogLine) => boolean): Promise<LogLine>
  /** SIGTERM. Resolves with the exit code when the process has ended. */
  stop(): Promise<number | null>
  /** SIGKILL, as a crash of the machine would have it. */
  kill(): Promise<void>
}

const logPatienceMs = 5_000

/** Resolves when the server listens; rejects with what it said when it ended instead. */
export async function startServer({
  data = temporaryFolder(),
  settings = {},
}: {
  data?: string
  settings?: Settings
} = {}): Promise<RunningServer> {
  const { child, exit } = startProcess(process.execPath, [mainFile, 'serve', '--port', '0', '--data', data], {
    cwd: root,
    env: environmentWith(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const read = { stdout: '', stderr: '' }
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    read.stderr += text
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      read.stdout += text
      const found = /^listening on (http:\S+)/m.exec(read.stdout)
      if (found) resolve(found[1]!)
    })
    exit.then(
      ({ code, signal }) => reject(new Error(`The server ended with ${code ?? signal}: ${read.stderr}`)),
      reject,
    )
  })
  const log = (): LogLine[] => {
    const whole = read.stderr.slice(0, read.stderr.lastIndexOf('\n') + 1)
    return whole
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line) as LogLine)
  }
  return {
    url,
    log,
    async logged(isWanted) {
      const deadline = performance.now() + logPatienceMs
      for (;;) {
        const found = log().find(isWanted)
        if (found) return found
        if (performance.now() > deadline)
          throw new Error(`No such line in the log:\n${read.stderr.slice(-2_000)}`)
        await setTimeout(20)
      }
    },
    port: Number(new URL(url).port),
    pid: child.pid!,
    data,
    stdout: () => read.stdout,
    stderr: () => read.stderr,
    async stop() {
      child.kill('SIGTERM')
      return (await exit).code
    },
    async kill() {
      child.kill('SIGKILL')
      await exit
    },
  }
}
