/** The structured log: JSON lines on standard error, written in blocks so that a request does not wait for a pipe. */
import { type Logger, pino } from 'pino'
import type { LogLevel } from './config.ts'
import type { RequestLog } from './http/request-log.ts'

export interface OpenLogger {
  readonly logger: Logger
  readonly requestLog: RequestLog
  /** Writes what is still in memory. */
  flush(): void
}

const standardError = 2
const blockBytes = 8_192
const flushIntervalMs = 500

/** Nothing that is a key reaches a line, wherever a key was put by mistake. */
const keyText = /\bff_[0-9A-Za-z]{40}\b/g

export function openLogger(level: LogLevel): OpenLogger {
  const destination = pino.destination({ dest: standardError, sync: false, minLength: blockBytes })
  const timer = setInterval(() => destination.flush(), flushIntervalMs).unref()
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: {
        err: (error: Error) => {
          const { type, message, stack } = pino.stdSerializers.err(error)
          return { type, message: message.replace(keyText, 'ff_…'), stack: stack.replace(keyText, 'ff_…') }
        },
      },
    },
    destination,
  )
  return {
    logger,
    requestLog: {
      enabled: logger.isLevelEnabled('info'),
      write: members =>
        void destination.write(`{"level":30,"time":"${new Date().toISOString()}",${members}}\n`),
    },
    flush() {
      clearInterval(timer)
      destination.flushSync()
    },
  }
}
