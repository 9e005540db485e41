/** Writes the log as JSON lines to standard error, in blocks, so that no request waits for a pipe. */
import { type Logger, pino } from 'pino'
import type { RequestLog } from '../http/request-log.ts'
import type { LogLevel } from './config.ts'

export interface OpenLogger {
  readonly logger: Logger
  readonly requestLog: RequestLog
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
/** Lines of requests are gathered separately, because writing each one alone takes a fifth of the time of an answer. */
const requestBlockBytes = 65_536

/** Matches API keys. They are removed from error messages, in case a key was sent in the wrong place. */
const keyText = /\bpug_[0-9A-Za-z]{40}\b/g

export const standardError = (): LogDestination =>
  pino.destination({ dest: standardErrorFile, sync: false, minLength: blockBytes })

export function openLogger(level: LogLevel, destination: LogDestination): OpenLogger {
  const lines = new LineBlock(text => destination.write(text))
  const flushLines = (): void => {
    lines.flush()
    destination.flush?.()
  }
  setInterval(flushLines, flushIntervalMs).unref()
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
  return {
    logger,
    requestLog: {
      enabled: logger.isLevelEnabled('info'),
      write: members => lines.add(`,${members}}\n`),
    },
    flush() {
      lines.flush()
      destination.flushSync?.()
    },
  }
}

/** Gathers ASCII lines in one buffer. Separate strings would live long enough for the garbage collector to move them. */
class LineBlock {
  readonly #write: (text: string) => void
  readonly #block = Buffer.allocUnsafe(requestBlockBytes)
  #length = 0
  #time = 0
  #beginning = ''

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  /** `rest` follows level and time. */
  add(rest: string): void {
    const time = Date.now()
    if (time !== this.#time) {
      this.#time = time
      this.#beginning = `{"level":30,"time":"${new Date(time).toISOString()}"`
    }
    if (this.#length + this.#beginning.length + rest.length > requestBlockBytes) this.flush()
    this.#length += this.#block.write(this.#beginning + rest, this.#length, 'latin1')
  }

  flush(): void {
    if (this.#length === 0) return
    this.#write(this.#block.toString('latin1', 0, this.#length))
    this.#length = 0
  }
}
