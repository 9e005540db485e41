/** Sends a report: ETag and 304, remembered answers, streams for what does not fit in one piece. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Site } from '../domain/account.ts'
import { dayMs } from '../domain/date-range.ts'
import { type Soon, whenKnown } from '../domain/soon.ts'
import type { Circumstances } from '../reports/answer-memory.ts'
import { isWhole, sendCompressed } from './compression.ts'
import type { HttpParts } from './http-parts.ts'

export interface Question {
  /** The report as JSON, or its pieces. */
  readonly build: () => Soon<string | Buffer> | AsyncGenerator<string>
  /** False for answers that nobody is likely to ask for twice. */
  readonly remember: boolean
}

/**
 * Answers with a report. `ask` reads the parameters and throws when one is wrong; it is not called for a URL whose
 * answer is remembered. `periodMs` is the time in which the meaning of "now" does not change for the report: default ranges
 * move with the UTC day.
 */
export function sendReport(
  parts: HttpParts,
  request: FastifyRequest,
  reply: FastifyReply,
  ask: () => Question,
  periodMs = dayMs,
): Soon<unknown> {
  const sent = answerFrom(parts, request, reply, ask, periodMs)
  // An answer is held back until its round is sent: a promise has to wait for that, or it counts as the answer itself.
  return sent instanceof Promise ? sent.then(() => reply) : sent
}

function answerFrom(
  parts: HttpParts,
  request: FastifyRequest,
  reply: FastifyReply,
  ask: () => Question,
  periodMs: number,
): Soon<void> {
  return whenKnown(parts.stores.events.revision(request.site.number), revision => {
    const plan = request.caller?.account.plan ?? request.person?.plan ?? ''
    const circumstances = circumstancesOf(request.site, revision, plan, parts.clock(), periodMs)
    const known = parts.answers.get(request.url, circumstances)
    if (known) return sendBody(request, reply, known.etag, known.body)
    const { build, remember } = ask()
    const etag = etagOf(circumstances)
    // Spares the work of building what will not be sent.
    if (isUnchanged(request.headers['if-none-match'], etag)) return sendBody(request, reply, etag, '')
    const answer = build()
    if (isGenerator(answer)) {
      // As they are, one at a time: as bytes, each would be a Buffer of its own.
      const pieces = Readable.from(answer, { objectMode: true, highWaterMark: 1 })
      // The status is sent by then: all that the client can see is that the answer breaks off.
      pieces.once('error', error => {
        request.log.error({ err: error, requestId: request.id }, 'streamed answer failed')
      })
      return sendBody(request, reply, etag, pieces)
    }
    return whenKnown(answer, body => {
      if (remember) parts.answers.put(request.url, { ...circumstances, etag, body })
      return sendBody(request, reply, etag, body)
    })
  })
}

export const circumstancesOf = (
  site: Site,
  revision: number,
  plan: string,
  now: number,
  periodMs = dayMs,
): Circumstances => ({
  site: site.number,
  revision,
  period: Math.floor(now / periodMs),
  plan,
})

/** Weak, since compression changes the bytes. */
export const etagOf = ({ revision, period }: Circumstances): string => `W/"${revision}-${period}"`

const cacheControl = 'private, no-cache'
const contentType = 'application/json; charset=utf-8'

/** Headers of a report that is sent as a whole and uncompressed, as names and values in turn. */
export const reportHeaders = (etag: string): string[] => [
  'etag',
  etag,
  'cache-control',
  cacheControl,
  'content-type',
  contentType,
  'vary',
  'accept-encoding',
]

/** Sends JSON with its ETag, or 304 to a client that has it. */
export function sendBody(
  request: FastifyRequest,
  reply: FastifyReply,
  etag: string,
  body: string | Buffer | Readable,
): Soon<void> {
  const { 'if-none-match': ifNoneMatch, 'accept-encoding': acceptEncoding } = request.headers
  const isKnown = isUnchanged(ifNoneMatch, etag)
  if (reply.sendWhole && !isKnown && acceptEncoding === undefined && isWhole(body)) {
    reply.sendWhole(reportHeaders(etag), body)
    return
  }
  reply.header('etag', etag)
  reply.header('cache-control', cacheControl)
  if (isKnown) {
    reply.code(304).send()
    return
  }
  reply.header('content-type', contentType)
  return sendCompressed(request, reply, body)
}

const isGenerator = (answer: ReturnType<Question['build']>): answer is AsyncGenerator<string> =>
  typeof answer === 'object' && Symbol.asyncIterator in answer

/** If-None-Match compares weakly: a list of tags, or `*`. */
function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const opaque = etag.replace(/^W\//, '')
  return ifNoneMatch.split(',').some(tag => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === opaque)
}
