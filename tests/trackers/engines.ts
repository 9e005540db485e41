/** The hosts that trackers are tried in: installs their engines, starts their programs, and stops them. */
import type { ChildProcess } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { startProcess } from '../support/child-processes.ts'

export const enginesFolder = import.meta.dirname
export const hostsFolder = path.join(enginesFolder, 'hosts')

interface Installer {
  install(root: string): Promise<void>
}

/** Installs what tests/trackers/package-lock.json names, unless it is there; one process at a time. */
export async function installEngines(): Promise<void> {
  const { install } = createRequire(import.meta.url)('../../scripts/install.cjs') as Installer
  await install(enginesFolder)
}

export const program = (name: string) => path.join(enginesFolder, 'node_modules', '.bin', name)
export const node18 = path.join(enginesFolder, 'node_modules', 'node18', 'bin', 'node')

export interface Engine {
  /** As a test's name says it. */
  readonly name: string
  readonly command: string
  readonly argv: readonly string[]
  readonly env?: Record<string, string>
  readonly cwd?: string
  /** How it says its port, where it is not one of our programs. */
  readonly saysPort?: RegExp
}

const onNode = (name: string, file: string, env: Record<string, string> = {}): Engine => ({
  name,
  command: process.execPath,
  argv: [path.join(hostsFolder, file)],
  env,
})

/** Hosts that live on between requests, by a process of their own. */
export const servers: readonly Engine[] = [
  onNode('node:http', 'node.js'),
  onNode('Express', 'express.js'),
  onNode('Fastify', 'fastify.js'),
  onNode('Koa', 'koa.js'),
  onNode('Hono on Node', 'hono.js'),
  { name: 'node:http on Node 18', command: node18, argv: [path.join(hostsFolder, 'node.js')] },
  {
    name: 'Deno',
    command: program('deno'),
    argv: ['run', '--quiet', '-A', path.join(hostsFolder, 'deno.js')],
  },
  { name: 'Bun', command: program('bun'), argv: ['run', path.join(hostsFolder, 'bun.js')] },
]

/** Hosts that only promise to live until a request's `waitUntil` has settled. */
export const edges = {
  cloudflare: onNode('Cloudflare Workers', 'cloudflare-server.js'),
  honoWorker: onNode('Hono on Workers', 'cloudflare-server.js', { WORKER: 'hono-worker.js' }),
  vercel: onNode('Vercel edge', 'vercel-server.js'),
  netlify: {
    name: 'Netlify edge',
    command: program('deno'),
    argv: ['run', '--quiet', '-A', path.join(hostsFolder, 'netlify-server.js')],
  },
} as const satisfies Record<string, Engine>

/** Next's own development server. */
export const next: Engine = {
  name: 'Next.js',
  command: process.execPath,
  argv: [program('next'), 'dev', '--hostname', '127.0.0.1', '--port', '0'],
  env: { NEXT_TELEMETRY_DISABLED: '1' },
  cwd: path.join(hostsFolder, 'next'),
  saysPort: /Local:\s+http:\/\/127\.0\.0\.1:(\d+)/,
}

export interface Host {
  readonly port: number
  readonly pid: number
  /** At once, whatever is under way. */
  kill(): void
  /** SIGTERM, as a supervisor sends it; resolves with the time that the host then took to end. */
  stop(): Promise<{ code: number | null; signal: string | null; tookMs: number }>
}

/** Starts a host program that reports to the collector at `collectorUrl`. */
export async function startHost(
  engine: Engine,
  collectorUrl: string,
  env: Record<string, string> = {},
): Promise<Host> {
  const { child, exit } = startProcess(engine.command, engine.argv, {
    env: { ...process.env, ...engine.env, COLLECTOR: collectorUrl, ...env },
    ...(engine.cwd && { cwd: engine.cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let complaints = ''
  child.stderr!.setEncoding('utf8').on('data', text => {
    complaints += text
  })
  const port = await Promise.race([
    firstPort(child, engine.saysPort ?? /^\{"port":(\d+)\}$/),
    exit.then(({ code }) => {
      throw new Error(`${engine.name} ended with ${code} before it listened:\n${complaints}`)
    }),
  ])
  return {
    port,
    pid: child.pid!,
    // These take their own children with them only when they are asked to end.
    kill: () => child.kill(engine.argv.some(word => /cloudflare|next/.test(word)) ? 'SIGTERM' : 'SIGKILL'),
    async stop() {
      const startMs = Date.now()
      child.kill('SIGTERM')
      const { code, signal } = await exit
      return { code, signal, tookMs: Date.now() - startMs }
    },
  }
}

async function firstPort(child: ChildProcess, saysPort: RegExp): Promise<number> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const said = saysPort.exec(line)
    if (said) return Number(said[1])
  }
  return new Promise(() => {})
}
