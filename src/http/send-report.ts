/** Sends a report: ETag and 304, cached answers, compression, and streams for long answers. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { dayMs } from '../domain/date-range.ts'
import { type Coding, chooseCoding, compress, compressFromBytes, compressingStream } from './compression.ts'
import type { HttpParts } from './http-parts.ts'

export type Report = object | AsyncGenerator<string>

/**
 * Answers with a report. `ask` reads the parameters, throws when one is wrong, and gives back how the report is made; it is not called for a URL whose
 * answer is remembered. `periodMs` is the time in which the meaning of "now" does not change for the report: default ranges
 * move with the UTC day.
 */
export async function sendReport(
  parts: HttpParts,
  request: FastifyRequest,
  reply: FastifyReply,
  ask: () => () => Promise<Report>,
  periodMs = dayMs,
): Promise<FastifyReply> {
  const { site } = request
  const plan = request.caller?.account.plan ?? request.person?.plan ?? ''
  const revision = request.revision ?? (await parts.stores.events.revision(site.number))
  const circumstances = { revision, period: Math.floor(parts.clock() / periodMs) }
  const question = `${site.number} ${plan} ${request.url}`
  const known = parts.answers.find(question, circumstances)
  const make = known ? null : ask()
  const etag = `W/"${revision}-${circumstances.period}"`
  // Spares the work of making what will not be sent.
  if (isUnchanged(request, etag)) return sendUnchanged(reply, etag)
  let answer = known
  if (make) {
    const report = await make()
    if (isStream(report)) return sendStream(request, reply, etag, report)
    answer = { ...circumstances, etag, plain: Buffer.from(JSON.stringify(report)), compressed: new Map() }
    parts.answers.put(question, answer)
  }
  const coding = chooseCoding(request.headers['accept-encoding'])
  const compressed = coding && parts.answers.compressed(question, answer!, coding)
  return sendBytes(reply, etag, compressed ? coding : null, compressed ?? answer!.plain)
}

/** Sends JSON that is made for this request alone, or 304 to a client that has it. */
export function sendJson(
  request: FastifyRequest,
  reply: FastifyReply,
  etag: string,
  body: string,
): FastifyReply {
  if (isUnchanged(request, etag)) return sendUnchanged(reply, etag)
  const plain = Buffer.from(body)
  const coding = plain.length < compressFromBytes ? null : chooseCoding(request.headers['accept-encoding'])
  return sendBytes(reply, etag, coding, coding ? compress(coding, plain) : plain)
}

const jsonType = 'application/json; charset=utf-8'

const sendUnchanged = (reply: FastifyReply, etag: string): FastifyReply =>
  addHeaders(reply, etag).code(304).send()

function sendBytes(reply: FastifyReply, etag: string, coding: Coding | null, bytes: Buffer): FastifyReply {
  addHeaders(reply, etag).header('content-type', jsonType)
  if (coding) reply.header('content-encoding', coding)
  return reply.send(bytes)
}

function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  etag: string,
  report: AsyncGenerator<string>,
): FastifyReply {
  // One piece at a time: as bytes, each would be a Buffer of its own.
  const pieces = Readable.from(report, { objectMode: true, highWaterMark: 1 })
  // The status is sent by then: all that the client can see is that the answer breaks off.
  pieces.once('error', error => {
    request.log.error({ err: error, requestId: request.id }, 'streamed answer failed')
  })
  addHeaders(reply, etag).header('content-type', jsonType)
  const coding = chooseCoding(request.headers['accept-encoding'])
  if (!coding) return reply.send(pieces)
  const stream = compressingStream(coding)
  pieces.once('error', error => stream.destroy(error))
  stream.once('close', () => pieces.destroy())
  return reply.header('content-encoding', coding).send(pieces.pipe(stream))
}

const addHeaders = (reply: FastifyReply, etag: string): FastifyReply =>
  reply.header('etag', etag).header('cache-control', 'private, no-cache').header('vary', 'accept-encoding')

const isStream = (report: Report): report is AsyncGenerator<string> => Symbol.asyncIterator in report

/** If-None-Match compares weakly: a list of tags, or `*`. */
function isUnchanged(request: FastifyRequest, etag: string): boolean {
  const ifNoneMatch = request.headers['if-none-match']
  if (ifNoneMatch === undefined) return false
  const opaque = etag.replace(/^W\//, '')
  return ifNoneMatch.split(',').some(tag => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === opaque)
}
