/**
 * Compresses answers of the API for clients that ask for it, where the answer is sent: the hooks of the plugin that serves the
 * pages cost every request, also those that want nothing compressed (row 1 of docs/performance.md).
 */
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Soon } from '../domain/soon.ts'

/** Smaller answers cost more to compress than to send. */
export const compressFromBytes = 1_024

/** Brotli's own default takes twenty times as long. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

/** In the order in which they are preferred. */
const encodings = {
  zstd: { whole: promisify(zstdCompress), stream: () => createZstdCompress() },
  br: {
    whole: (text: Buffer) => promisify(brotliCompress)(text, brotli),
    stream: () => createBrotliCompress(brotli),
  },
  gzip: { whole: promisify(gzip), stream: () => createGzip() },
} satisfies Record<string, { whole: (text: Buffer) => Promise<Buffer>; stream: () => NodeJS.ReadWriteStream }>

type Encoding = keyof typeof encodings

/** Sends an answer, compressed if the client takes it. */
export function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  body: string | Buffer | Readable,
): Soon<void> {
  reply.header('vary', 'accept-encoding')
  const accepted = request.headers['accept-encoding']
  const encoding = accepted === undefined ? null : chooseEncoding(accepted)
  if (encoding === null || (isWhole(body) && body.length < compressFromBytes)) {
    reply.send(body)
    return
  }
  reply.header('content-encoding', encoding)
  if (isWhole(body)) {
    const whole = typeof body === 'string' ? Buffer.from(body) : body
    return encodings[encoding].whole(whole).then(bytes => void reply.send(bytes))
  }
  const stream = encodings[encoding].stream()
  body.once('error', error => stream.destroy(error))
  stream.once('close', () => body.destroy())
  reply.send(body.pipe(stream))
}

export const isWhole = (body: string | Buffer | Readable): body is string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body)

/** The preferred one of those that the client takes (RFC 9110, 12.5.3); null for none. */
export function chooseEncoding(accepted: string): Encoding | null {
  const taken = new Map<string, boolean>()
  for (const part of accepted.toLowerCase().split(',')) {
    const [name, ...parameters] = part.split(';').map(text => text.trim())
    taken.set(name!, !parameters.some(parameter => /^q=0(\.0{0,3})?$/.test(parameter)))
  }
  const names = Object.keys(encodings) as Encoding[]
  return names.find(name => taken.get(name) ?? taken.get('*')) ?? null
}
