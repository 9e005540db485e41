/** One HTTP request over a socket, sent and read without anything that a client library would add or hide. */
import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import type { ErrorCode } from '../../src/domain/errors.ts'

export interface Question {
  readonly method?: string
  /** `undefined` leaves a header out that would be sent by itself. */
  readonly headers?: OutgoingHttpHeaders
  /** API key, sent as a bearer token. */
  readonly key?: string
  /** Anything but text and bytes is sent as JSON. */
  readonly body?: unknown
  /** Whose connections are used, instead of those of all questions. */
  readonly agent?: Agent
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
  json<Value = unknown>(): Value
}

export interface ErrorBody {
  readonly error: string
  readonly code: ErrorCode
  readonly retry_after?: number
}

const sharedAgent = new Agent({ keepAlive: true, maxSockets: 64 })

export function ask(
  url: string,
  { method = 'GET', headers = {}, key, body, agent = sharedAgent }: Question = {},
): Promise<Answer> {
  const payload =
    body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const all = {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(payload !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(payload),
      }),
      ...headers,
    }
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
    const outgoing = request(url, { method, agent, headers: sent })
    outgoing.on('error', reject)
    outgoing.on('response', response => {
      const chunks: Buffer[] = []
      response.on('error', reject)
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const text = bytes.toString()
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          bytes,
          text,
          json: <Value>() => JSON.parse(text) as Value,
        })
      })
    })
    outgoing.end(payload)
  })
}

/** Status and code of an answer, and that it has the one shape of all errors. Throws when it is no error. */
export function errorOf(answer: Answer): ErrorBody {
  const body = answer.json<ErrorBody>()
  const unexpected = Object.keys(body).filter(name => !['error', 'code', 'retry_after'].includes(name))
  if (typeof body.error !== 'string' || typeof body.code !== 'string' || unexpected.length > 0)
    throw new Error(`${answer.status} is not an error of the API: ${answer.text}`)
  return body
}
