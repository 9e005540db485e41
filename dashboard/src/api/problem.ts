/** What can be wrong with an answer, and two things that the whole page must know: that the session ended, or that nobody answers. */
import { Signal } from '../signal.ts'

export class Problem extends Error {
  readonly code: string
  readonly retryAfterSeconds: number | null

  constructor(code: string, message: string, retryAfterSeconds: number | null = null) {
    super(message)
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** True from the first answer that says so until somebody has signed in again. */
export const sessionEnded = new Signal(false)
/** True while the server cannot be reached. */
export const connectionLost = new Signal(false)

/** `said` is the body of a refusal, which a proxy may have put something else in place of. */
export function problemOf(status: number, said: unknown): Problem {
  const { code, error, retry_after } = (typeof said === 'object' && said ? said : {}) as {
    code?: string
    error?: string
    retry_after?: number
  }
  if (code === 'SIGNED_OUT') sessionEnded.set(true)
  return new Problem(
    code ?? 'SERVER_ERROR',
    error ?? `The server answered with status ${status}.`,
    retry_after ?? null,
  )
}
