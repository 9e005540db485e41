/** What a log format reads from a line, as its tests compare it. */
import type { LogFormat } from '../../src/ingest/logs/log-line.ts'

export interface Expected {
  /** ISO 8601. */
  at: string
  address?: string
  country?: string
  method?: string
  url: string
  status?: number | null
  referrer?: string
  userAgent?: string
  bytes?: number | null
  durationMs?: number | null
}

/** The last line of a log, after the `#` lines and other lines before it. */
export function readLast(format: LogFormat, log: string): Expected | null {
  const parser = format.open(null)
  let parsed = false
  for (const text of log.split('\n')) {
    if (text.startsWith('#')) parser.directive(text)
    else parsed = parser.parse(text)
  }
  if (!parsed) return null
  const { timeMs, requestId, ...said } = parser.line
  return { at: new Date(timeMs).toISOString(), ...said }
}

/** With what most requests have in common. */
export const whole = (expected: Expected): Expected => ({
  address: '',
  country: '',
  method: 'GET',
  status: 200,
  referrer: '',
  userAgent: '',
  bytes: null,
  durationMs: null,
  ...expected,
})
