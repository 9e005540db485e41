/** The OpenAPI document: made from the schemas that the routes carry. */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import Type from 'typebox'
import { type ErrorCode, errorCatalogue } from '../domain/errors.ts'
import { ErrorBody } from './error-response.ts'
import { type ApiDocument, nameComponents } from './openapi-components.ts'

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly querystring?: TSchema
  /** One item of a batch: the operation takes the three shapes of a batch. */
  readonly body?: TSchema
  readonly status?: 200 | 201
  readonly ok: TSchema
  /** Codes besides those of every operation. */
  readonly errors: readonly ErrorCode[]
}

const codesOfEvery: readonly ErrorCode[] = [
  'MISSING_KEY',
  'INVALID_KEY',
  'USER_NOT_FOUND',
  'INSUFFICIENT_SCOPE',
  'SERVER_ERROR',
  'OVERLOADED',
]
const codesOfReads: readonly ErrorCode[] = ['RATE_LIMITED']
const codesOfWrites: readonly ErrorCode[] = [
  ...([
    'SITE_NOT_FOUND',
    'MISSING_SITE_ID',
    'INVALID_JSON',
    'INVALID_PARAMETER',
    'PAYLOAD_TOO_LARGE',
  ] as const),
  ...(['UNSUPPORTED_MEDIA_TYPE', 'IDEMPOTENCY_MISMATCH', 'LIMIT_EXCEEDED', 'RATE_LIMITED'] as const),
]

const IdempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      maxLength: 255,
      description:
        'Makes a repeat within 24 h record nothing and answer as the first did: 1 to 255 visible ASCII characters, chosen by you, for each batch its own.',
    }),
  ),
})

const NotModified = Type.Null({ description: 'Nothing has changed since the ETag in If-None-Match.' })

export function apiSchema({
  operationId,
  summary,
  querystring,
  body,
  status = 200,
  ok,
  errors,
}: Operation): FastifySchema {
  const codes = [...new Set([...codesOfEvery, ...(body ? codesOfWrites : codesOfReads), ...errors])]
  return {
    operationId,
    summary,
    tags: [body ? 'Recording' : 'Reading'],
    security: [{ apiKey: [] }],
    ...(querystring && { querystring }),
    ...(body && {
      body: Type.Union([body, Type.Array(body), Type.Object({ events: Type.Array(body) })], {
        description:
          'One object, an array, {"events": […]}, or NDJSON as application/x-ndjson. At most 10,000 and 8 MiB.',
      }),
      consumes: ['application/json', 'application/x-ndjson'],
    }),
    ...(body && { headers: IdempotencyHeader }),
    response: {
      [status]: { ...ok, 'x-response-description': summary },
      ...(!body && { 304: NotModified }),
      ...describeErrors(codes),
    },
  } as FastifySchema
}

/** The errors of an operation by their status. */
export function describeErrors(codes: readonly ErrorCode[], body: TSchema = ErrorBody): object {
  const byStatus = Object.groupBy(codes, code => errorCatalogue[code].status)
  const responses = Object.entries(byStatus).map(([status, group]) => [
    status,
    { ...body, 'x-response-description': group!.join(', ') },
  ])
  return Object.fromEntries(responses)
}

/** Marks routes that only the dashboard uses: they have a document of their own. */
export const dashboardTag = 'Dashboard'

/** Gathers the routes that are registered from now on; `app.swagger()` gives the document. */
export async function describeApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    hiddenTag: dashboardTag,
    transformObject: document =>
      nameComponents((document as unknown as { openapiObject: ApiDocument }).openapiObject),
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Pugmark',
        version,
        description:
          'AI-traffic analytics: visits of AI bots, clicks that assistants send, and conversions, per site. All times and days are UTC.',
      },
      components: {
        securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: pug_…' } },
      },
    },
  })
}

/** The plugin's own policy lets styles and a validator in from elsewhere, and fails a page without TLS. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The reference to browse, at /docs. */
export async function registerReference(pages: FastifyInstance): Promise<void> {
  await pages.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: contentPolicy,
    theme: { title: 'Pugmark API' },
    // Without the bar that shows other documents.
    uiConfig: { layout: 'BaseLayout' },
  })
}
