/** Follows log files as they grow, like `tail -F`: through rotation and truncation, and before the file exists. */
import { stat } from 'node:fs/promises'
import type { ImportSession } from './import-session.ts'
import type { LogImport } from './log-import.ts'
import type { LogFormat } from './log-line.ts'
import { fileId, isMissing } from './reading/open-source.ts'
import { pause } from './reading/settles-within.ts'

export interface FollowParts {
  readonly session: Pick<ImportSession, 'begin' | 'end' | 'settle'>
  readonly signal: AbortSignal
  readonly intervalMs: number
}

interface Followed {
  readonly name: string
  log: LogImport | null
  formatBefore: LogFormat | null
  /** Size and time of the last change that was seen. */
  seen: string
}

/** Returns when the signal aborts, or when there is nothing to follow: compressed files and pipes are read once. */
export async function followLogs(parts: FollowParts, names: readonly string[]): Promise<void> {
  let followed = names.map((name): Followed => ({ name, log: null, formatBefore: null, seen: '' }))
  try {
    while (followed.length > 0 && !parts.signal.aborted) {
      const growing: Followed[] = []
      for (const file of followed) {
        if (await advance(parts, file)) growing.push(file)
      }
      followed = growing
      // A refusal is heard of now, and not when the next line comes.
      await parts.session.settle()
      if (followed.length > 0) await pause(parts.intervalMs, parts.signal)
    }
  } finally {
    for (const { log } of followed) await log?.close()
  }
}

/** Imports what is new; false when the file will bring no more. */
async function advance(parts: FollowParts, file: Followed): Promise<boolean> {
  if (file.log !== null) {
    const change = await changeOf(file, file.log)
    if (change !== 'overwritten') await file.log.importAvailable()
    if (change === null || parts.signal.aborted) return true
    await leave(parts, file, file.log)
  }
  file.log = await beginIfThere(parts, file)
  if (file.log === null) return true
  await file.log.importAvailable()
  if (file.log.opened.source.seekable !== null || parts.signal.aborted) return true
  await leave(parts, file, file.log)
  return false
}

/** Between a rename and the new file there is none. */
async function beginIfThere({ session }: FollowParts, file: Followed): Promise<LogImport | null> {
  try {
    return await session.begin(file.name, file.formatBefore)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

async function leave(parts: FollowParts, file: Followed, log: LogImport): Promise<void> {
  file.formatBefore = log.format
  file.log = null
  file.seen = ''
  await parts.session.end(log)
}

/** Null when the file is the one that is being read, or when there is no file of this name at the moment. */
async function changeOf(file: Followed, log: LogImport): Promise<'replaced' | 'overwritten' | null> {
  const stats = await statOrNull(file.name)
  if (stats === null) return null
  if (fileId(stats) !== log.opened.fileId) return 'replaced'
  const seen = `${stats.size} ${stats.mtimeMs}`
  if (seen === file.seen) return null
  file.seen = seen
  return stats.size < log.readOffset || !(await endsAsRead(log)) ? 'overwritten' : null
}

/** A file that was emptied and has grown beyond its old size since is told by what lies before the place reached. */
async function endsAsRead(log: LogImport): Promise<boolean> {
  const { lastBytes, readOffset } = log
  const bytes = await log.opened.source.seekable?.bytesAt(readOffset - lastBytes.length, lastBytes.length)
  return bytes?.equals(lastBytes) ?? true
}

async function statOrNull(name: string) {
  try {
    return await stat(name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
