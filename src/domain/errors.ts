/** The catalogue of all errors that a caller can see: stable code, HTTP status, and what to do. */

export const errorCatalogue = {
  MISSING_KEY: { status: 401, remedy: 'Send the header "Authorization: Bearer <API key>".' },
  INVALID_KEY: { status: 401, remedy: 'Check the key, or make a new one.' },
  USER_NOT_FOUND: { status: 401, remedy: 'The account of this key was deleted: make a new account and key.' },
  SITE_NOT_FOUND: { status: 403, remedy: 'Compare the id with the answer of GET /api/v1/sites.' },
  PLAN_REQUIRED: { status: 403, remedy: 'Ask the operator of this Pugmark for a plan that includes it.' },
  INSUFFICIENT_SCOPE: { status: 403, remedy: 'Use a key that has the scope named in the message.' },
  MISSING_SITE_ID: { status: 400, remedy: 'Put the site id in the path: /api/v1/sites/{siteId}/…' },
  INVALID_DATE_RANGE: { status: 400, remedy: 'Use real days as YYYY-MM-DD, start not after end.' },
  INVALID_PARAMETER: { status: 400, remedy: 'Correct the parameter named in the message.' },
  INVALID_JSON: { status: 400, remedy: 'Send valid JSON.' },
  INVALID_EVENT: {
    status: 400,
    remedy: 'Correct the event and field named in the message; nothing was recorded.',
  },
  NOT_FOUND: { status: 404, remedy: 'Compare the path with the API reference.' },
  METHOD_NOT_ALLOWED: { status: 405, remedy: 'Use a method that the Allow header lists.' },
  PAYLOAD_TOO_LARGE: { status: 413, remedy: 'Send at most 10,000 events and 8 MiB in one request.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, remedy: 'Send application/json or application/x-ndjson.' },
  IDEMPOTENCY_MISMATCH: { status: 422, remedy: 'Use a new Idempotency-Key for a new body.' },
  RATE_LIMITED: { status: 429, remedy: 'Wait retry_after seconds.' },
  LIMIT_EXCEEDED: { status: 429, remedy: 'Wait for the next month, or ask for another plan.' },
  SERVER_ERROR: {
    status: 500,
    remedy: 'Try again with growing pauses; quote the request id if it persists.',
  },
  OVERLOADED: { status: 503, remedy: 'Try again after the Retry-After header.' },
} as const satisfies Record<string, { status: number; remedy: string }>

export type ErrorCode = keyof typeof errorCatalogue

/** An error that the caller is meant to see. All other errors are answered with SERVER_ERROR and no details. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  /** Seconds until a retry can succeed; sent as Retry-After, and as retry_after with a 429. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  get status(): number {
    return errorCatalogue[this.code].status
  }
}

/** The part of a sentence that says how to reach the operator. */
export const contactOf = (supportEmail: string | null): string =>
  supportEmail === null ? 'ask the operator of this Pugmark' : `contact support at ${supportEmail}`
