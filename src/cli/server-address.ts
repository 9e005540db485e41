/** Stores the address of the running server in `server.json` in the data folder, so that other commands can find it. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export interface ServerAddress {
  /** Such as http://127.0.0.1:8787. */
  readonly url: string
  /** The process that listens. */
  readonly pid: number
}

const fileIn = (folder: string): string => path.join(folder, 'server.json')
const answerWithinMs = 2_000

/** Called when the server listens. The last of several servers on one folder wins. */
export function publishAddress(folder: string, address: ServerAddress): void {
  try {
    writeFileSync(fileIn(folder), `${JSON.stringify(address)}\n`)
  } catch {
    // Only hints depend on the file. A server on a full disk still answers.
  }
}

/** Called when the server stops. Keeps the file of another server that started later. */
export function withdrawAddress(folder: string, pid: number): void {
  if (readAddress(folder)?.pid === pid) rmSync(fileIn(folder), { force: true })
}

/** The address of the server that runs on the folder; null when none answers. A crash leaves the file behind, so this asks the server. */
export async function findServer(folder: string): Promise<string | null> {
  const url = reachable(readAddress(folder)?.url ?? '')
  if (url === null) return null
  try {
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(answerWithinMs) })
    await answer.body?.cancel()
    return answer.ok ? url : null
  } catch {
    return null
  }
}

/** Null when there is no file, or none that a server has written in full. */
function readAddress(folder: string): ServerAddress | null {
  try {
    return JSON.parse(readFileSync(fileIn(folder), 'utf8')) as ServerAddress
  } catch {
    return null
  }
}

/** The origin to open on this machine. A server on all addresses is reached by the loopback address. Null when the text is not a URL. */
export function reachable(address: string): string | null {
  const url = URL.parse(address)
  if (url === null) return null
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.hostname === '[::]') url.hostname = '[::1]'
  return url.origin
}
