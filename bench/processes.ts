/** Processes that are measured, and what the kernel says about them: CPU time and memory (Linux). */

import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

export interface ServerProcess {
  readonly port: number
  /** Milliseconds from the start of the process until it has answered something. */
  readonly startMs: number
  /** CPU time of all threads so far, user and system, in microseconds. */
  cpuMicroseconds(): number
  /** Resident memory in MiB. */
  memoryMib(): number
  /** The most that it ever was. */
  peakMemoryMib(): number
  stop(): Promise<void>
}

export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
}

const clockTicksPerSecond = 100
const startMsMax = 60_000

/** Starts a server that listens on the port given. Throws when it ends instead. */
export async function startServer(command: (port: number) => Command): Promise<ServerProcess> {
  const port = await freePort()
  const { file, args, folder, environment } = command(port)
  const started = performance.now()
  const child = spawn(file, args, { cwd: folder, env: environment, stdio: 'ignore' })
  await untilItAnswers(child, port, `${file} ${args.join(' ')}`)
  const pid = child.pid!
  return {
    port,
    startMs: performance.now() - started,
    cpuMicroseconds: () => cpuOf(pid),
    memoryMib: () => statusMib(pid, 'VmRSS'),
    peakMemoryMib: () => statusMib(pid, 'VmHWM'),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

export interface Finished {
  readonly wallMs: number
  /** User and system, of the process and the children that it waited for. */
  readonly cpuMs: number
  readonly peakMemoryMib: number
  readonly output: string
}

/** Runs a command from start to end, watched by GNU time. Throws when it fails. */
export async function runToEnd({ file, args, folder, environment }: Command): Promise<Finished> {
  const started = performance.now()
  const child = spawn('/usr/bin/time', ['--format', '%U %S %M', file, ...args], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    errors += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} failed:\n${errors}`)
  const [user, system, peakKib] = errors.trimEnd().split('\n').at(-1)!.split(' ').map(Number)
  return {
    wallMs: performance.now() - started,
    cpuMs: (user! + system!) * 1000,
    peakMemoryMib: peakKib! / 1024,
    output,
  }
}

async function untilItAnswers(child: ChildProcess, port: number, name: string): Promise<void> {
  const deadline = performance.now() + startMsMax
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`${name} ended before it answered`)
    if (await answers(port)) return
    await wait(2)
  }
  child.kill('SIGKILL')
  throw new Error(`${name} did not answer within ${startMsMax / 1000} s`)
}

/** Connections alone say little: a server may try whether its port is free before it listens there. */
function answers(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const asked = get({ host: '127.0.0.1', port, path: '/api/v1/sites', agent: false }, answer => {
      answer.resume()
      answer.once('error', () => resolve(false))
      answer.once('end', () => resolve(true))
    })
    asked.once('error', () => resolve(false))
  })
}

/**
 * A port below those that the kernel gives to clients: a client that asks a port of theirs again and again, before anybody
 * listens, is once given that very port and connects to itself.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

function cpuOf(pid: number): number {
  // The name of the program stands in brackets and may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / clockTicksPerSecond) * 1e6
}

function statusMib(pid: number, field: string): number {
  const line = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1]) / 1024
}
