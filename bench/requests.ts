/** Requests as the load process sends them, and single ones that the benchmark itself asks. */
import { randomUUID } from 'node:crypto'
import { type Agent, request as startRequest } from 'node:http'

export interface PreparedRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Stands where the load process puts a fresh key in each request. */
export const freshKey = '00000000-0000-4000-8000-000000000000'
/** Stands where the load process puts the time of sending, to the second. */
export const freshSecond = '2000-01-01T00:00:00'

/** A request in the bytes of HTTP/1.1, with the places that are fresh in each sending. */
export class WireRequest {
  readonly #bytes: Buffer
  readonly #keys: readonly number[]
  readonly #seconds: readonly number[]

  constructor({ method, path, headers, body }: PreparedRequest) {
    const all = {
      Host: '127.0.0.1',
      ...headers,
      ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    this.#bytes = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`)
    this.#keys = placesOf(this.#bytes, freshKey)
    this.#seconds = body === undefined ? [] : placesOf(this.#bytes, freshSecond)
  }

  /** The same buffer at each call, unless a part of it is fresh. */
  next(): Buffer {
    if (this.#keys.length === 0 && this.#seconds.length === 0) return this.#bytes
    const bytes = Buffer.from(this.#bytes)
    for (const place of this.#keys) bytes.write(randomUUID(), place, 'latin1')
    const second = new Date().toISOString().slice(0, freshSecond.length)
    for (const place of this.#seconds) bytes.write(second, place, 'latin1')
    return bytes
  }
}

function placesOf(bytes: Buffer, text: string): number[] {
  const places: number[] = []
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length)) places.push(at)
  return places
}

export interface Answer {
  readonly status: number
  /** As sent, in their order and spelling: name, value, name, value. */
  readonly rawHeaders: readonly string[]
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** As sent, compressed or not. */
  readonly body: Buffer
}

/**
 * One request, on a connection of its own unless an agent is given. Throws unless the answer is 2xx. A kept connection may be
 * closed just when it is used again; the request is then sent once more.
 */
export function ask(
  port: number,
  { method, path, headers, body }: PreparedRequest,
  agent: Agent | false = false,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = startRequest({ host: '127.0.0.1', port, method, path, headers, agent }, response => {
      const pieces: Buffer[] = []
      response.on('error', reject)
      response.on('data', piece => pieces.push(piece))
      response.on('end', () => {
        const whole = Buffer.concat(pieces)
        const status = response.statusCode!
        if (status < 200 || status > 299) reject(new Error(`${method} ${path}: ${status} ${whole}`))
        else resolve({ status, rawHeaders: response.rawHeaders, headers: response.headers, body: whole })
      })
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (sent.reusedSocket && error.code === 'ECONNRESET') {
        ask(port, { method, path, headers, ...(body !== undefined && { body }) }).then(resolve, reject)
      } else {
        reject(new Error(`${method} ${path} was not answered`, { cause: error }))
      }
    })
    sent.end(body)
  })
}
