/** Reads the three shapes of a batch: one object or an array as JSON, `{"events":[…]}`, or one object on each line as NDJSON. */
import { AppError } from '../domain/errors.ts'

export const batchItemsMax = 10_000
export const batchBytesMax = 8 * 2 ** 20

/** The items of a batch, unchecked. Throws INVALID_JSON, PAYLOAD_TOO_LARGE. */
export function readBatch(body: Uint8Array, isLines: boolean): unknown[] {
  const text = decodeUtf8(body)
  const items = isLines ? readLines(text) : itemsOf(parseJson(text, ''))
  if (items.length > batchItemsMax) {
    throw new AppError(
      'PAYLOAD_TOO_LARGE',
      `The body has ${items.length} events; at most ${batchItemsMax} are taken at once.`,
    )
  }
  return items
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(body: Uint8Array): string {
  try {
    return decoder.decode(body)
  } catch {
    throw new AppError('INVALID_JSON', 'The body is not UTF-8 text.')
  }
}

function itemsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  const events = (value as { events?: unknown } | null)?.events
  return Array.isArray(events) ? events : [value]
}

function readLines(text: string): unknown[] {
  const items: unknown[] = []
  text.split('\n').forEach((line, index) => {
    if (line.trim() !== '') items.push(parseJson(line, ` in line ${index + 1}`))
  })
  return items
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AppError('INVALID_JSON', `The body is not valid JSON${where}: ${(error as Error).message}`)
  }
}
