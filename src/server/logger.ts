/** Writes the log as JSON lines to standard error, in blocks, so that no request waits for a pipe. */
import { type Logger, pino } from 'pino'
import type { LogLevel } from './config.ts'

export interface OpenLogger {
  readonly logger: Logger
  /** Writes all lines that are still in memory. */
  flush(): void
}

export interface LogDestination {
  /** Takes whole lines. */
  write(lines: string): void
  /** Writes the gathered lines in the background. */
  flush?(): void
  /** Writes the gathered lines at once. */
  flushSync?(): void
}

const standardErrorFile = 2
const blockBytes = 8_192
const flushIntervalMs = 500

/** Matches API keys. They are removed from error messages, in case a key was sent in the wrong place. */
const keyText = /\bpug_[0-9A-Za-z]{40}\b/g

export const standardError = (): LogDestination =>
  pino.destination({ dest: standardErrorFile, sync: false, minLength: blockBytes })

export function openLogger(level: LogLevel, destination: LogDestination): OpenLogger {
  setInterval(() => destination.flush?.(), flushIntervalMs).unref()
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: {
        err: (error: Error) => {
          const { type, message, stack } = pino.stdSerializers.err(error)
          return { type, message: message.replace(keyText, 'pug_…'), stack: stack.replace(keyText, 'pug_…') }
        },
      },
    },
    destination,
  )
  return { logger, flush: () => destination.flushSync?.() }
}
