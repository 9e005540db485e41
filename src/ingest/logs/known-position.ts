/** Finds how far a log was imported before, by its contents. A new name, compression or growth makes no difference. */
import { AppError } from '../../domain/errors.ts'
import type { ImportProgress } from '../../storage/event-store.ts'
import type { KnownLogs } from './known-logs.ts'
import type { SeekableBytes } from './reading/byte-source.ts'
import { fingerprintHash, LineReader, lineLengthMax } from './reading/line-reader.ts'
import type { OpenedLog } from './reading/open-source.ts'

export interface KnownPosition {
  /** Stands right behind what is imported already. */
  readonly reader: LineReader
  /** The source it reads from, which may have been opened again. */
  readonly opened: OpenedLog
  /** The import that is continued; null for a new log. */
  readonly progress: ImportProgress | null
  /**
   * The log is shorter than what was imported of a log with the same beginning, so it is an earlier state of that one:
   * the reader stands at its beginning, and all of its lines are known.
   */
  readonly allKnown: boolean
  /** Imports of logs that begin the same, this one or others: what was known when it was decided where to go on. */
  readonly alike: readonly ImportProgress[]
}

/** `reopen` opens the same bytes once more. Throws INVALID_PARAMETER when they would be needed but cannot be had. */
export async function findPosition(
  opened: OpenedLog,
  known: KnownLogs,
  reopen: () => Promise<OpenedLog>,
): Promise<KnownPosition> {
  const reader = new LineReader(opened.source)
  await readHead(reader, known.headLengthMax)
  const alike = known.withHead(reader.head)
  if (alike.length === 0) return { reader, opened, progress: null, allKnown: false, alike }
  const { seekable } = opened.source
  const found =
    seekable === null
      ? await passThrough(opened, reader, alike, reopen)
      : await seekTo(opened, reader, seekable, alike)
  return { ...found, alike }
}

type FoundPosition = Omit<KnownPosition, 'alike'>

/** As much as the longest known beginning has, and at least one line; a live pipe may have brought no more yet. */
async function readHead(reader: LineReader, needed: number): Promise<void> {
  const lacks = (): boolean =>
    reader.available < needed || (reader.available <= lineLengthMax && !reader.holdsLine)
  while (lacks() && (await reader.fill())) {}
}

/** A plain file: looks only at the bytes before each possible position. */
async function seekTo(
  opened: OpenedLog,
  fromBeginning: LineReader,
  bytes: SeekableBytes,
  sameHead: readonly ImportProgress[],
): Promise<FoundPosition> {
  const size = await bytes.size()
  const { head } = fromBeginning
  if (sameHead[0]!.offset > size) {
    return { reader: fromBeginning, opened, progress: null, allKnown: true }
  }
  for (const progress of sameHead) {
    const { offset, windowLength, windowHash } = progress
    const before = await bytes.bytesAt(offset - windowLength, windowLength)
    if (fingerprintHash(before) !== windowHash) continue
    bytes.seek(offset)
    return {
      reader: new LineReader(opened.source, { offset, head, before }),
      opened,
      progress,
      allKnown: false,
    }
  }
  return { reader: fromBeginning, opened, progress: null, allKnown: false }
}

/** Compressed files and pipes can only be read through: nearest position first, going on as long as one may follow. */
async function passThrough(
  opened: OpenedLog,
  reader: LineReader,
  sameHead: readonly ImportProgress[],
  reopen: () => Promise<OpenedLog>,
): Promise<FoundPosition> {
  let found: ImportProgress | null = null
  let allKnown = false
  for (const progress of sameHead.toReversed()) {
    allKnown = !(await reader.skipTo(progress.offset))
    if (allKnown) break
    if (reader.windowHash(progress.windowLength) === progress.windowHash) found = progress
  }
  if (!allKnown && found?.offset === reader.offset) return { reader, opened, progress: found, allKnown }

  if (!opened.reopenable) throw needsFile()
  await opened.source.close()
  const again = await reopen()
  const second = new LineReader(again.source)
  await readHead(second, 0)
  const progress = allKnown ? null : found
  if (progress !== null) await second.skipTo(progress.offset)
  return { reader: second, opened: again, progress, allKnown }
}

const needsFile = (): AppError =>
  new AppError(
    'INVALID_PARAMETER',
    'This input begins like a log that was imported before, but is shorter or differs further on, which can only be seen by reading it twice. Save it to a file and import the file.',
  )
