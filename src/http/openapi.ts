/** Builds the OpenAPI document from the schemas of the routes. */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import Type from 'typebox'
import { type ErrorCode, errorCatalogue } from '../domain/errors.ts'
import { ErrorBody } from './error-response.ts'
import { type ApiDocument, nameComponents } from './openapi-components.ts'
import { errorMessages, examples } from './openapi-examples.ts'
import { headersOf, type OperationKind } from './openapi-headers.ts'

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly querystring?: TSchema
  /** One item of a batch: the operation takes the three shapes of a batch. */
  readonly body?: TSchema
  readonly status?: 200 | 201
  readonly ok: TSchema
  /** Codes besides those of every operation. */
  readonly errors: readonly ErrorCode[]
}

const codesOfEvery: readonly ErrorCode[] = [
  ...(['MISSING_KEY', 'INVALID_KEY', 'USER_NOT_FOUND', 'INSUFFICIENT_SCOPE'] as const),
  ...(['METHOD_NOT_ALLOWED', 'SERVER_ERROR', 'OVERLOADED'] as const),
]
const codesOfReads: readonly ErrorCode[] = ['INVALID_PARAMETER', 'RATE_LIMITED']
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

export function apiSchema(operation: Operation): FastifySchema {
  const { operationId, summary, description, querystring, body, status = 200, ok, errors } = operation
  const codes = [...new Set([...codesOfEvery, ...(body ? codesOfWrites : codesOfReads), ...errors])]
  const kind = body ? 'record' : 'read'
  const example = examples[operationId]
  return {
    operationId,
    summary,
    description,
    tags: [body ? 'Recording' : 'Reading'],
    security: [{ apiKey: [] }],
    ...(querystring && { querystring }),
    ...(body && { body: describeBatch(body, example?.items ?? []), headers: IdempotencyHeader }),
    response: {
      ...describeAnswer(status, summary, { ...ok, ...(example && { examples: [example.answer] }) }, kind),
      ...(!body &&
        describeAnswer(304, 'Nothing has changed since the ETag in If-None-Match.', Type.Null(), kind)),
      ...describeErrors(codes, { kind }),
    },
  } as FastifySchema
}

/** The shapes of a batch. NDJSON is text to a program that makes or reads it. */
function describeBatch(item: TSchema & { title?: string }, items: readonly object[]): object {
  const batch = Type.Union([item, Type.Array(item), Type.Object({ events: Type.Array(item) })], {
    title: `${item.title}Batch`,
    description: 'One object, an array of them, or {"events": […]}. At most 10,000 and 8 MiB.',
    examples: [items],
  })
  const lines = Type.String({
    description: 'One JSON object a line. At most 10,000 and 8 MiB.',
    examples: [items.map(line => `${JSON.stringify(line)}\n`).join('')],
  })
  return { content: { 'application/json': { schema: batch }, 'application/x-ndjson': { schema: lines } } }
}

/** One answer by its status, with the headers that it carries. */
export const describeAnswer = (
  status: number,
  description: string,
  body: TSchema,
  kind: OperationKind,
): object => ({
  [status]: { ...body, headers: headersOf(status, kind), 'x-response-description': description },
})

/** The errors of an operation by their status. A `body` that is not the API's own has no examples. */
export function describeErrors(
  codes: readonly ErrorCode[],
  { kind, body }: { kind: OperationKind; body?: TSchema },
): object {
  const byStatus = Object.groupBy(codes, code => errorCatalogue[code].status)
  return Object.assign(
    {},
    ...Object.entries(byStatus).map(([status, group]) =>
      describeAnswer(
        Number(status),
        group!.join(', '),
        body ?? ({ ...ErrorBody, 'x-examples': errorExamples(group!) } as TSchema),
        kind,
      ),
    ),
  )
}

function errorExamples(codes: readonly ErrorCode[]): object {
  const example = (code: ErrorCode) => ({
    summary: errorCatalogue[code].remedy,
    value: {
      error: errorMessages[code],
      code,
      ...(errorCatalogue[code].status === 429 && { retry_after: 30 }),
    },
  })
  return Object.fromEntries(codes.map(code => [code, example(code)]))
}

/** Marks routes that only the dashboard uses: they have a document of their own. */
export const dashboardTag = 'Dashboard'

/** Gathers the routes that are registered from now on; `app.swagger()` gives the document. */
export async function describeApi(
  app: FastifyInstance,
  version: string,
  supportEmail: string | null,
): Promise<void> {
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
        license: { name: 'MIT', identifier: 'MIT' },
        contact: {
          name: 'The operator of this server',
          ...(supportEmail !== null && { email: supportEmail }),
        },
      },
      servers: [{ url: '/', description: 'The server that gave you this document.' }],
      tags: [
        { name: 'Reading', description: 'Reports about a site. They need a key with the scope `read`.' },
        { name: 'Recording', description: 'Facts about a site. They need a key with the scope `write`.' },
        { name: 'Drains', description: 'Where services and log shippers send their logs.' },
        { name: 'Health', description: 'Whether the server works, for its operator.' },
      ],
      components: { securitySchemes, parameters: { siteId } },
    },
  })
}

const siteId = {
  name: 'siteId',
  in: 'path',
  required: true,
  description: 'The `id` of the site, from the list of sites.',
  schema: { type: 'string' },
  example: 'site_4Tq0vJmYb2xKc8RzLw1N',
} as const

const securitySchemes = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: pug_…' },
  vercelSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'x-vercel-signature',
    description: "HMAC-SHA1 of the body with the drain's secret, in hex.",
  },
} as const

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
