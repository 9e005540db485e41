/** Handles what both ways of recording share: the shapes of the body, Idempotency-Key, and the acknowledgement. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../domain/errors.ts'
import { batchBytesMax } from '../ingest/batch-body.ts'
import type { BatchKind } from '../ingest/classify-batch.ts'
import { record } from '../ingest/record.ts'
import type { HttpParts } from './http-parts.ts'

const linesType = 'application/x-ndjson'

/** Bodies reach the handlers as bytes: idempotency compares them as they came. */
export function acceptBatchBodies(app: FastifyInstance): void {
  app.addContentTypeParser(
    ['application/json', linesType],
    { parseAs: 'buffer', bodyLimit: batchBytesMax },
    (request, body, done) => {
      const encoding = request.headers['content-encoding']
      if (encoding === undefined || encoding === 'identity') done(null, body)
      else
        done(
          new AppError(
            'UNSUPPORTED_MEDIA_TYPE',
            `The Content-Encoding ${encoding} is not taken; send the body as it is.`,
          ),
        )
    },
  )
}

/** One way of recording. */
export interface RecordingRoute {
  /** As the framework knows it: `/api/v1/sites/:siteId/` and a name. */
  readonly url: string
  readonly kind: BatchKind
  readonly status: 200 | 201
}

/** Answers when the batch is on disk. */
export async function receiveBatch(
  parts: HttpParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { url, kind, status }: RecordingRoute,
): Promise<FastifyReply> {
  const key = readIdempotencyKey(request.headers['idempotency-key'])
  const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0)
  const isLines = request.headers['content-type']?.toLowerCase().startsWith(linesType) === true
  const { caller, site } = request
  const now = parts.clock()
  const { events, ignored, unknownFields, load, report } = await parts.batches.read({
    kind,
    body,
    isLines,
    site,
    now,
  })
  const { response, replayed } = await record(parts.stores.events, {
    site,
    account: caller.account,
    plan: caller.plan,
    events,
    intake: { source: kind, ignored, duplicates: 0, unknownFields, load },
    now,
    response: JSON.stringify(report),
    idempotency: key === null ? null : { key, operation: url, body },
  })
  if (replayed) reply.header('idempotent-replayed', 'true')
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(response)
}

function readIdempotencyKey(value: string | string[] | undefined): string | null {
  if (value === undefined) return null
  if (typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value)) return value
  throw new AppError(
    'INVALID_PARAMETER',
    'Idempotency-Key must be 1 to 255 visible ASCII characters, given once.',
  )
}
