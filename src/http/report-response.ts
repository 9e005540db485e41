/** Sends a report: ETag and 304, remembered answers, streams for what does not fit in one piece. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { dayOf } from '../domain/date-range.ts'
import { sendCompressed } from './compression.ts'
import type { HttpParts } from './http-parts.ts'

export interface Question {
  /** Everything that the answer depends on besides the site's events. */
  readonly text: string
  readonly build: () => Promise<string> | AsyncGenerator<string>
  /** False for answers that nobody is likely to ask for twice. */
  readonly remember: boolean
}

export async function sendReport(
  parts: HttpParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { text, build, remember }: Question,
): Promise<FastifyReply> {
  const site = request.site.number
  const revision = await parts.stores.events.revision(site)
  // Default ranges move with the day. Weak, since compression changes the bytes.
  const etag = `W/"${revision.toString(36)}-${dayOf(parts.clock())}"`
  reply.header('etag', etag)
  reply.header('cache-control', 'private, no-cache')
  if (isUnchanged(request.headers['if-none-match'], etag)) return reply.code(304).send()
  reply.header('content-type', 'application/json; charset=utf-8')
  const question = `${site} ${text}`
  const known = remember ? parts.answers.get(question, revision) : null
  if (known !== null) return sendCompressed(request, reply, known)
  const answer = build()
  if (!(answer instanceof Promise)) {
    return sendCompressed(request, reply, Readable.from(answer, { objectMode: false }))
  }
  const body = await answer
  if (remember) parts.answers.put(question, revision, body)
  return sendCompressed(request, reply, body)
}

/** If-None-Match compares weakly: a list of tags, or `*`. */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const opaque = etag.replace(/^W\//, '')
  return ifNoneMatch.split(',').some(tag => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === opaque)
}
