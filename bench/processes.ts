/** The servers that are measured, each a process of its own as a user would start it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface ServerProcess {
  readonly url: string
  /** Milliseconds from start to listening. */
  readonly startMs: number
  /** CPU time used so far, user and system, in microseconds. */
  cpuMicroseconds(): number
  /** Resident memory in MiB. */
  memoryMib(): number
  /** The most it ever was. */
  peakMemoryMib(): number
  stop(): Promise<void>
}

/** As bin/pugmark.cjs starts Node. */
export const launcherFlags = (
  createRequire(import.meta.url)('../bin/pinned-node.cjs') as { nodeFlags(): string[] }
).nodeFlags()

/** Pugmark itself, with everything on: authentication, rate limit (which does not bite), log (to nowhere), headers. */
export const startPugmark = (
  data: string,
  nodeOptions: readonly string[] = [],
  settings: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> =>
  start([...launcherFlags, ...nodeOptions, 'src/main.ts', 'serve', '--port', '0', '--data', data], {
    PUGMARK_PLAN_PRO_REQUESTS_PER_MINUTE: '1000000000',
    ...settings,
  })

/** For what is measured of one thread. */
export const oneThread = { PUGMARK_THREADS: '1' }

/** Bare node:http. `answer` is sent for every request; `parses` also reads and parses the body. */
export const startBare = (answerFile: string, parses = false): Promise<ServerProcess> =>
  start(['bench/bare-server.ts', answerFile, String(parses)], {})

/** See bench/floor-server.ts. */
export const startFloor = (answerFile: string): Promise<ServerProcess> =>
  start(['bench/floor-server.ts', answerFile], {})

/** Where bin/pugmark.cjs lets Node keep what it has compiled. */
const compileCache = join(import.meta.dirname, '../node_modules/.cache/compiled')

/** This environment without its settings of Pugmark, which would change what is measured, and with those given and the launcher's. */
export function environmentWith(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('PUGMARK_'))
  return { NODE_COMPILE_CACHE: compileCache, ...Object.fromEntries(others), ...settings }
}

const clockTicksPerSecond = 100

async function start(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const started = performance.now()
  const nowhere = openSync('/dev/null', 'w')
  const child = spawn(process.execPath, args, {
    cwd: join(import.meta.dirname, '..'),
    env: environmentWith(environment),
    stdio: ['ignore', 'pipe', nowhere],
  })
  closeSync(nowhere)
  const url = await Promise.race([
    firstAddress(child),
    once(child, 'exit').then(() => {
      throw new Error(`${args.join(' ')} ended before it listened`)
    }),
  ])
  return {
    url,
    startMs: performance.now() - started,
    cpuMicroseconds() {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      return ((Number(fields[11]) + Number(fields[12])) / clockTicksPerSecond) * 1e6
    },
    memoryMib: () => statusMib(child.pid, 'VmRSS'),
    peakMemoryMib: () => statusMib(child.pid, 'VmHWM'),
    async stop() {
      if (child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

function statusMib(pid: number | undefined, field: string): number {
  const line = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1]) / 1024
}

async function firstAddress(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = /listening on (http:\S+)/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error('the server closed its output')
}
