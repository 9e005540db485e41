/** Begins the import of one log: finds its format, and where an earlier import of it ended. */
import { AppError } from '../../domain/errors.ts'
import { detectFormat, findFormat, formatNames, holdsLines } from './formats.ts'
import { type KnownLogs, type LogContext, readContext } from './known-logs.ts'
import { findPosition } from './known-position.ts'
import { LogImport, type LogImportParts } from './log-import.ts'
import type { LogFormat } from './log-line.ts'
import { type LineReader, lineLengthMax } from './reading/line-reader.ts'
import type { OpenedLog } from './reading/open-source.ts'

export interface LogToImport {
  readonly name: string
  readonly open: () => Promise<OpenedLog>
  readonly known: KnownLogs
  /** Null when it is to be recognised. */
  readonly format: LogFormat | null
  /** It is being written: a first line without end is no line yet. */
  readonly growing: boolean
  /** Taken when the log cannot be recognised; null when that is an error. */
  readonly formatBefore: LogFormat | null
}

/** Null when the log holds no line yet. Throws INVALID_PARAMETER when it cannot be read or recognised. */
export async function openLogImport(parts: LogImportParts, log: LogToImport): Promise<LogImport | null> {
  let opened = await log.open()
  try {
    const position = await findPosition(opened, log.known, log.open)
    opened = position.opened
    const context = position.progress && readContext(position.progress)
    const format = log.format ?? recognise(log, position.reader, context)
    if (format !== null) return new LogImport(parts, log.name, position, format, context)
  } catch (error) {
    await opened.source.close()
    throw error
  }
  await opened.source.close()
  return null
}

/** Null when there is no line yet. */
function recognise(log: LogToImport, reader: LineReader, context: LogContext | null): LogFormat | null {
  const resumed = findFormat(context?.format ?? '')
  if (resumed !== null) return resumed
  const { ahead } = reader
  const nothingYet = log.growing ? !reader.holdsLine : ahead.length === 0
  if (nothingYet) return null
  const format = detectFormat(ahead) ?? log.formatBefore
  if (format !== null) return format
  if (ahead.length <= lineLengthMax && !holdsLines(ahead)) return null
  throw new AppError(
    'INVALID_PARAMETER',
    `The first lines of ${log.name} fit no log format. If it is one of ${formatNames.join(', ')}, name it.`,
  )
}
