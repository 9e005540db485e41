/** The structured log: JSON lines on standard error, written in blocks so that a request does not wait for a pipe. */
import { type Logger, pino } from 'pino'
import type { LogLevel } from './config.ts'
import type { RequestLog } from './http/request-log.ts'

export interface OpenLogger {
  readonly logger: Logger
  readonly requestLog: RequestLog
  /** Takes lines that another thread has put together. */
  readonly write: (lines: string) => void
  /** Writes what is still in memory. */
  flush(): void
}

export interface LogDestination {
  /** Takes whole lines. */
  write(lines: string): void
  /** Writes in the background what is gathered. */
  flush?(): void
  /** Writes it now. */
  flushSync?(): void
}

const standardErrorFile = 2
const blockBytes = 8_192
const flushIntervalMs = 500
/** Lines of requests are gathered apart: to hand over each by itself took a fifth of the time of an answer (row 1 of docs/performance.md). */
const requestBlockBytes = 65_536

/** Nothing that is a key reaches a line, wherever a key was put by mistake. */
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
    write: lines => destination.write(lines),
    flush() {
      lines.flush()
      destination.flushSync?.()
    },
  }
}

/** Lines of ASCII as one text: as strings of their own they live long enough to be moved by the garbage collector. */
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
