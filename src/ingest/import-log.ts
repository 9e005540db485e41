/** Imports access logs into a site. `pugmark import` adds only its options and its output. */
import { AppError } from '../domain/errors.ts'
import { followLogs } from './logs/follow-logs.ts'
import type { ImportOptions, ImportParts } from './logs/import-options.ts'
import type { ImportReport } from './logs/import-report.ts'
import { ImportSession } from './logs/import-session.ts'
import { standardInput, storedSize } from './logs/reading/open-source.ts'

export { formatNames } from './logs/formats.ts'
export type { ImportAdvance, ImportOptions, ImportParts, MalformedLine } from './logs/import-options.ts'
export type { ImportReport } from './logs/import-report.ts'

const defaultFollowIntervalMs = 1000

/**
 * Imports all sources, in their order, and tells what came of their lines; what an earlier import dealt with is counted
 * as duplicate. Whatever ends it, the lines before are stored and the same call goes on behind them.
 * Throws INVALID_PARAMETER (a source that cannot be read or recognised), LIMIT_EXCEEDED, SITE_NOT_FOUND, OVERLOADED.
 */
export async function importLogs(parts: ImportParts, options: ImportOptions): Promise<ImportReport> {
  const { sources, signal } = options
  const isFollowing = options.follow && !isStandardInputOnly(sources)
  const session = await ImportSession.open(parts, options, isFollowing ? null : await totalSize(sources))
  try {
    if (isFollowing) {
      const intervalMs = options.followIntervalMs ?? defaultFollowIntervalMs
      await followLogs({ session, signal, intervalMs }, sources)
    } else {
      for (const name of sources) await session.importWhole(name)
    }
  } finally {
    await session.settle()
  }
  return session.report()
}

/** Standard input is followed anyhow. Throws INVALID_PARAMETER when it is one of several things to follow. */
function isStandardInputOnly(sources: readonly string[]): boolean {
  if (!sources.includes(standardInput)) return false
  if (sources.length === 1) return true
  throw new AppError('INVALID_PARAMETER', 'Files can be followed, or standard input, but not both at once.')
}

/** Throws INVALID_PARAMETER when one of the files cannot be read, before any of them is imported. */
async function totalSize(sources: readonly string[]): Promise<number | null> {
  let total: number | null = 0
  for (const name of sources) {
    const size = name === standardInput ? null : await storedSize(name)
    total = total === null || size === null ? null : total + size
  }
  return total
}
