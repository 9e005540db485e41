/** What both ways of recording over HTTP have in common: the body's shapes, Idempotency-Key, the acknowledgement. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../accounts/access.ts'
import type { Site } from '../domain/account.ts'
import { AppError } from '../domain/errors.ts'
import type { Source } from '../domain/event.ts'
import { batchBytesMax, readBatch } from '../ingest/batch-body.ts'
import { type BatchJudge, type JudgedBatch, judgeInTurns } from '../ingest/judge-batch.ts'
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

/** One way of recording. */
export interface RecordingRoute {
  /** As the framework knows it: `/api/v1/sites/:siteId/` and a name. */
  readonly url: string
  readonly source: Source
  readonly status: 200 | 201
  /** Makes the judge of one batch. */
  readonly judge: (site: Site, now: number) => BatchJudge
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
  const now = parts.clock()
  const { response, replayed } = await recordBatch(parts, route, { caller, site, body, isLines, key, now })
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
  /** The moment of recording. */
  readonly now: number
}

/**
 * Resolves when the batch is on disk. Throws, then or at once, as readBatch, BatchJudge.take and record do. Small batches are handed over
 * before this returns: promises and generators for its steps cost as much as checking the event (row 7 of docs/performance.md).
 */
export function recordBatch(
  parts: HttpParts,
  route: RecordingRoute,
  batch: SentBatch,
): Promise<{ response: string; replayed: boolean }> {
  if (batch.body.length >= largeBatchBytes) return recordLarge(parts, route, batch)
  const items = readBatch(batch.body, batch.isLines)
  const judge = route.judge(batch.site, batch.now)
  const judging = judgeInTurns(judge, items, nextRound)
  return judging
    ? judging.then(() => recordJudged(parts, route, batch, judge.judged()))
    : recordJudged(parts, route, batch, judge.judged())
}

/** Each step of a large batch takes as long as a dozen questions, which are answered in between (row 8 of docs/performance.md). */
async function recordLarge(
  parts: HttpParts,
  route: RecordingRoute,
  batch: SentBatch,
): Promise<{ response: string; replayed: boolean }> {
  await nextRound()
  const items = readBatch(batch.body, batch.isLines)
  await nextRound()
  const judge = route.judge(batch.site, batch.now)
  await judgeInTurns(judge, items, nextRound)
  await nextRound()
  return recordJudged(parts, route, batch, judge.judged())
}

function recordJudged(
  parts: HttpParts,
  { url, source }: RecordingRoute,
  { caller: { account, plan }, site, body, key, now }: SentBatch,
  { events, ignored, report }: JudgedBatch,
): Promise<{ response: string; replayed: boolean }> {
  return record(parts.stores.events, {
    site,
    account,
    plan,
    events,
    intake: { source, ignored, duplicates: 0 },
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
