/** Turns any thrown error into the one shape of error that callers see. */

import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { AppError, contactOf, type ErrorCode, errorCatalogue } from '../domain/errors.ts'

export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'What is wrong, for a person.' }),
    code: Type.Union(
      Object.keys(errorCatalogue).map(code => Type.Literal(code as ErrorCode)),
      { description: 'Stable code, for programs.' },
    ),
    retry_after: Type.Optional(Type.Integer({ minimum: 1, description: 'Seconds to wait; only with 429.' })),
  },
  { title: 'Error' },
)

/** What Fastify itself refuses, in our words. */
const frameworkErrors: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_BAD_URL: ['NOT_FOUND', 'The path is not a valid URL.'],
  FST_ERR_MAX_PARAM_LENGTH: ['NOT_FOUND', 'The path is too long.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['PAYLOAD_TOO_LARGE', 'The body is larger than 8 MiB.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'UNSUPPORTED_MEDIA_TYPE',
    'The Content-Type must be application/json or application/x-ndjson, without Content-Encoding.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['INVALID_JSON', 'The body is not as long as its Content-Length says.'],
  // The sender left in the middle: no fault of ours, and nobody reads the answer.
  ECONNRESET: ['INVALID_JSON', 'The body ended before it was whole.'],
}

/** `supportEmail` is named where only the operator can help. */
export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  supportEmail: string | null = null,
): FastifyReply {
  const known = toAppError(error)
  // What its cause must not be told of goes to the log.
  if (!known) request.log.error({ err: error, requestId: request.id }, 'request failed')
  const { code, message, status, retryAfterSeconds } = known ?? serverError(request.id, supportEmail)
  // A path that the router refuses has passed no hook.
  reply.header('x-request-id', request.id)
  reply.header('x-content-type-options', 'nosniff')
  reply.header('content-type', 'application/json; charset=utf-8')
  // Closing now would break off a sender who is still writing, before he has read why.
  if (status === 413 || status === 415) reply.removeHeader('connection')
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  return reply.code(status).send(errorJson(code, message, status === 429 ? retryAfterSeconds : undefined))
}

const serverError = (requestId: string, supportEmail: string | null): AppError =>
  new AppError(
    'SERVER_ERROR',
    `Something failed on our side. Try again; if it persists, ${contactOf(supportEmail)} and quote the request id ${requestId}.`,
  )

/** The body of an error, as in ErrorBody. */
export const errorJson = (code: ErrorCode, error: string, retryAfter?: number): string =>
  JSON.stringify({ error, code, ...(retryAfter !== undefined && { retry_after: retryAfter }) })

/** Null for what its cause must not be told of. */
export function toAppError(error: unknown): AppError | null {
  if (error instanceof AppError) return error
  const framework = frameworkErrors[(error as FastifyError | null)?.code ?? '']
  return framework ? new AppError(...framework) : null
}

export function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // A script in a browser must be able to read that its path is wrong.
  reply.header('access-control-allow-origin', '*')
  const path = request.url.replace(/\?.*$/s, '').slice(0, 200)
  return sendError(
    new AppError('NOT_FOUND', `There is nothing at ${path}. The API reference is at /docs.`),
    request,
    reply,
  )
}

/** Answers what is no HTTP request: no route, hook or reply exists for it. */
export function refuseMalformedRequest(
  { code }: NodeJS.ErrnoException,
  socket: Socket,
  requestId: string,
): void {
  if (!socket.writable) return
  const body = errorJson(
    'INVALID_PARAMETER',
    malformedRequests[code ?? ''] ?? 'This is not a valid HTTP request.',
  )
  const head = [
    'HTTP/1.1 400 Bad Request',
    `X-Request-Id: ${requestId}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

const malformedRequests: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers of this request are larger than 16 KiB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'This request did not arrive in time.',
}

export function sendMethodNotAllowed(allowed: readonly string[]) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    reply.header('allow', allowed.join(', '))
    const message = `${request.method} is not possible here; this path takes ${allowed.join(', ')}.`
    return sendError(new AppError('METHOD_NOT_ALLOWED', message), request, reply)
  }
}
