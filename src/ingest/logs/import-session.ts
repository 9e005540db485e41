/** Runs one import over several logs: begins and ends each, and sums up the results. */
import { AppError } from '../../domain/errors.ts'
import { BatchWriter } from './batch-writer.ts'
import { findFormat, formatNames } from './formats.ts'
import type { ImportOptions, ImportParts } from './import-options.ts'
import { type ImportReport, importReport } from './import-report.ts'
import { KnownLogs } from './known-logs.ts'
import type { LogImport, LogImportParts } from './log-import.ts'
import type { LogFormat } from './log-line.ts'
import { openLogImport } from './open-log-import.ts'
import { openLog, standardInput } from './reading/open-source.ts'

const shownLength = 200

export class ImportSession {
  readonly #parts: ImportParts
  readonly #options: ImportOptions
  readonly #format: LogFormat | null
  readonly #bytesTotal: number | null
  readonly #writer: BatchWriter
  readonly #known: KnownLogs
  readonly #startedMs = performance.now()
  #files = 0
  #malformedShown = false
  /** Of the logs that are read to their end. */
  #endedBytes = 0
  #endedLines = 0

  private constructor(
    parts: ImportParts,
    options: ImportOptions,
    bytesTotal: number | null,
    writer: BatchWriter,
    known: KnownLogs,
  ) {
    this.#parts = parts
    this.#options = options
    this.#format = requireFormat(options.format)
    this.#bytesTotal = bytesTotal
    this.#writer = writer
    this.#known = known
  }

  /** Throws INVALID_PARAMETER for an unknown format. */
  static async open(
    parts: ImportParts,
    options: ImportOptions,
    bytesTotal: number | null,
  ): Promise<ImportSession> {
    const { store, clock, site, account, monthlyLimit } = parts
    const known = new KnownLogs(await store.imports(site.number))
    const writer = await BatchWriter.open({
      store,
      clock,
      site: site.number,
      account,
      monthlyLimit,
    })
    return new ImportSession(parts, options, bytesTotal, writer, known)
  }

  async importWhole(name: string): Promise<void> {
    if (this.#options.signal.aborted) return
    const log = await this.begin(name, null)
    if (log === null) return
    try {
      await log.importAvailable()
      if (!this.#options.signal.aborted) await log.finish()
    } finally {
      await this.#leave(log)
    }
  }

  /**
   * Begins the import of a log, behind what is known of it. Null when it holds no line yet. `formatBefore` is the format
   * that a growing log of this name had, taken when the first lines don't tell.
   */
  async begin(name: string, formatBefore: LogFormat | null): Promise<LogImport | null> {
    const { stdin } = this.#parts
    const growing = this.#bytesTotal === null && this.#options.follow
    if (growing) await this.#lookAround()
    const log = await openLogImport(this.#logParts(), {
      name: name === standardInput ? 'standard input' : name,
      open: () => openLog(name, stdin),
      known: this.#known,
      format: this.#format,
      growing,
      formatBefore,
    })
    if (log !== null || !this.#options.follow) this.#files++
    // What it goes on from may be of this very import, read under another name.
    if (log?.isContinued) await this.#settleFor(log)
    return log
  }

  async #settleFor(log: LogImport): Promise<void> {
    try {
      await this.#writer.drain()
    } catch (error) {
      await log.close()
      throw error
    }
  }

  /** While this import has followed its logs, others may have imported some. */
  async #lookAround(): Promise<void> {
    const { store, site } = this.#parts
    for (const progress of await store.imports(site.number)) this.#known.add(progress)
  }

  /** Ends the import of a log that will bring no more. */
  async end(log: LogImport): Promise<void> {
    try {
      await log.finish()
    } finally {
      await this.#leave(log)
    }
  }

  /** Waits until everything that was read is stored. Throws when it cannot be. */
  settle(): Promise<void> {
    return this.#writer.drain()
  }

  report(): ImportReport {
    return importReport(this.#writer.stored, this.#files, this.#seconds)
  }

  get #seconds(): number {
    return (performance.now() - this.#startedMs) / 1000
  }

  async #leave(log: LogImport): Promise<void> {
    this.#endedBytes += log.opened.source.storedBytes
    this.#endedLines += log.lines
    await log.close()
  }

  #logParts(): LogImportParts {
    const { detector, countryOf, clock, site } = this.#parts
    return {
      lines: { detector, countryOf, clock, source: 'import', siteDomain: site.domain },
      writer: this.#writer,
      signal: this.#options.signal,
      onWritten: progress => this.#known.add(progress),
      onAdvance: log => this.#tellProgress(log),
      onMalformed: (log, number, text) => this.#tellMalformed(log, number, text),
    }
  }

  #tellProgress(log: LogImport): void {
    this.#options.onProgress?.({
      name: log.name,
      bytes: this.#endedBytes + log.opened.source.storedBytes,
      bytesTotal: this.#bytesTotal,
      lines: this.#endedLines + log.lines,
      seconds: this.#seconds,
    })
  }

  /** Only the first: a log of another format would fill the screen. */
  #tellMalformed({ name }: LogImport, number: number, text: string): void {
    if (this.#malformedShown) return
    this.#malformedShown = true
    this.#options.onMalformed?.({ name, number, text: shown(text) })
  }
}

function requireFormat(name: string): LogFormat | null {
  if (name === 'auto') return null
  const format = findFormat(name)
  if (format !== null) return format
  throw new AppError(
    'INVALID_PARAMETER',
    `There is no log format "${name}"; it must be auto or one of ${formatNames.join(', ')}.`,
  )
}

/** Logs hold what strangers sent: control characters could make a terminal do things. */
function shown(text: string): string {
  const start = text.length > shownLength ? `${text.slice(0, shownLength)}…` : text
  return start.replace(/[\p{C}]/gu, character => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}
