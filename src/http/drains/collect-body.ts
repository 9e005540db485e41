/** Reads the body of a delivery as it was sent, within its size limit and the memory limit of all deliveries. */
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.ts'
import { drainBytesMax, tooLarge } from '../../ingest/drains/drain-body.ts'
import type { MemoryClaim } from '../../ingest/drains/memory-budget.ts'

/** Enough for the largest body over 5 Mbit/s. A sender that stops in the middle must not hold memory that others need. */
const arrivalMs = 120_000

/** Throws PAYLOAD_TOO_LARGE, OVERLOADED, and INVALID_JSON for a body that ends too early; of one that takes too long the connection is closed. */
export async function collectBody(
  { raw, headers }: FastifyRequest,
  memory: MemoryClaim,
  timeoutMs = arrivalMs,
): Promise<Buffer> {
  if (Number(headers['content-length']) > drainBytesMax) throw tooLarge('sent')
  const timer = setTimeout(() => raw.destroy(), timeoutMs)
  const chunks: Buffer[] = []
  let length = 0
  try {
    // The sender must be able to read why his body is refused, so the connection stays, and what he still sends is dropped.
    for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > drainBytesMax) throw tooLarge('sent')
      memory.grow(chunk.length)
      chunks.push(chunk)
    }
  } catch (error) {
    raw.resume()
    if (error instanceof AppError) throw error
    throw new AppError('INVALID_JSON', 'The body ended before it was whole.', { cause: error })
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks)
}
