/** Runs a program to its end and tells how long it took and what it used. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { environmentWith } from './processes.ts'

export interface Finished {
  readonly stdout: string
  readonly seconds: number
  readonly cpuSeconds: number
  readonly peakMib: number
}

const pollMs = 20
const clockTicksPerSecond = 100

/** Runs a program to its end and watches what it uses; the last look is at most 20 ms before the end. */
export async function run(program: string, argv: readonly string[]): Promise<Finished> {
  const startMs = performance.now()
  const child = spawn(program, argv, {
    cwd: join(import.meta.dirname, '..'),
    env: environmentWith({}),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr = (stderr + text).slice(-2_000)
  })
  const used = { peakMib: 0, cpuSeconds: 0 }
  let hasEnded = false
  const watching = (async () => {
    while (!hasEnded) {
      Object.assign(used, usedBy(child.pid))
      await sleep(pollMs)
    }
  })()
  const [code] = await once(child, 'close')
    .catch(error => {
      if (error.code === 'ENOENT') throw new Error(`${program} is not installed: apt-get install ${program}`)
      throw error
    })
    .finally(() => {
      hasEnded = true
    })
  const seconds = (performance.now() - startMs) / 1000
  await watching
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${stderr}`)
  return { stdout, seconds, ...used }
}

/** Nothing when the process has just ended, as it has no memory then. */
function usedBy(pid: number | undefined): { peakMib: number; cpuSeconds: number } | null {
  try {
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    if (!peak) return null
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    const cpuSeconds = (Number(fields[11]) + Number(fields[12])) / clockTicksPerSecond
    return { peakMib: Number(peak[1]) / 1024, cpuSeconds }
  } catch {
    return null
  }
}
