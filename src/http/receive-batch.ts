/** What both ways of recording over HTTP have in common: the body's shapes, Idempotency-Key, the acknowledgement. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../accounts/access.ts'
import type { Site } from '../domain/account.ts'
import { AppError } from '../domain/errors.ts'
import type { Arrival, NewEvent } from '../domain/event.ts'
import { batchBytesMax, readBatch } from '../ingest/batch-body.ts'
import { record } from '../ingest/record.ts'
import { nextRound } from './event-loop-rounds.ts'
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

/** Some hundred events, which take most of a millisecond. */
const largeBatchBytes = 32_768

/** What the items of a batch come to. */
export interface JudgedBatch {
  readonly events: readonly NewEvent[]
  /** Items that are no events, by reason. */
  readonly ignored: Readonly<Record<string, number>>
  /** Acknowledges the batch. */
  readonly report: object
}

/** One way of recording. */
export interface RecordingRoute {
  /** As the framework knows it: `/api/v1/sites/:siteId/` and a name. */
  readonly url: string
  readonly arrival: Arrival
  readonly status: 200 | 201
  /** In turns (ingest/in-turns.ts). Throws INVALID_EVENT for a bad item. */
  readonly judge: (items: readonly unknown[], site: Site, now: number) => Generator<void, JudgedBatch>
}

export async function receiveBatch(
  parts: HttpParts,
  request: FastifyRequest,
  reply: FastifyReply,
  route: RecordingRoute,
): Promise<FastifyReply> {
  const key = readIdempotencyKey(request.headers['idempotency-key'])
  const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0)
  const isLines = request.headers['content-type']?.toLowerCase().startsWith(linesType) === true
  const { caller, site } = request
  const { response, replayed } = await recordBatch(parts, route, { caller, site, body, isLines, key })
  if (replayed) reply.header('idempotent-replayed', 'true')
  return reply.code(route.status).header('content-type', jsonType).send(response)
}

export const jsonType = 'application/json; charset=utf-8'

interface SentBatch {
  readonly caller: Caller
  readonly site: Site
  readonly body: Buffer
  readonly isLines: boolean
  /** Of idempotency. */
  readonly key: string | null
}

/** Resolves when the batch is on disk. Throws as readBatch, RecordingRoute.judge and record do. */
export async function recordBatch(
  parts: HttpParts,
  { url, arrival, judge }: RecordingRoute,
  { caller: { account, plan }, site, body, isLines, key }: SentBatch,
): Promise<{ response: string; replayed: boolean }> {
  // Each step of a large batch takes as long as a dozen questions, which are answered in between (row 8 of docs/performance.md).
  const isLarge = body.length >= largeBatchBytes
  if (isLarge) await nextRound()
  const now = parts.clock()
  const items = readBatch(body, isLines)
  if (isLarge) await nextRound()
  const judging = judge(items, site, now)
  let step = judging.next()
  for (; !step.done; step = judging.next()) await nextRound()
  const { events, ignored, report } = step.value
  if (isLarge) await nextRound()
  return record(parts.stores.events, {
    site,
    account,
    plan,
    events,
    intake: { arrival, ignored, duplicates: 0 },
    now,
    response: JSON.stringify(report),
    idempotency: key === null ? null : { key, operation: url, body },
  })
}

function readIdempotencyKey(value: string | string[] | undefined): string | null {
  if (value === undefined) return null
  if (typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value)) return value
  throw new AppError(
    'INVALID_PARAMETER',
    'Idempotency-Key must be 1 to 255 visible ASCII characters, given once.',
  )
}
