/** Defines the errors that only the dashboard returns. Errors of the API pass through unchanged. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../accounts/users.ts'
import { sendError } from '../error-response.ts'

const statuses = {
  SIGNED_OUT: 401,
  WRONG_CREDENTIALS: 403,
  NOT_ALLOWED: 403,
  TOO_MANY_TRIES: 429,
  REFUSED: 400,
} as const

export class DashboardError extends Error {
  override readonly name = 'DashboardError'
  readonly code: keyof typeof statuses
  readonly retryAfterSeconds: number | undefined

  constructor(code: keyof typeof statuses, message: string, retryAfterSeconds?: number) {
    super(message)
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export function sendDashboardError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known =
    error instanceof DashboardError
      ? error
      : error instanceof Refusal
        ? new DashboardError('REFUSED', error.message)
        : null
  if (!known) return sendError(error, request, reply)
  const { code, message, retryAfterSeconds } = known
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
  return reply
    .code(statuses[code])
    .header('content-type', 'application/json; charset=utf-8')
    .send(
      JSON.stringify({
        error: message,
        code,
        ...(retryAfterSeconds !== undefined && { retry_after: retryAfterSeconds }),
      }),
    )
}
